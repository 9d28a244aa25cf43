/** Well-known text read into GeoJSON and polygons written back; the service tells places and regions so. */

import type { Geometry, MultiPolygon, Polygon, Position } from 'geojson';

export class WktProblem extends Error {}

/** The geometry of a text such as `POLYGON((0 0, 10 0, 10 10, 0 0))`; raises where it is none. */
export function readWkt(text: string): Geometry {
  const reader = new Reader(text);
  const geometry = reader.geometry();
  reader.end();
  return geometry;
}

/** A place or region as the service tells it: well-known text or GeoJSON; null for what is neither. */
export function geometryOf(value: unknown): Geometry | null {
  if (typeof value === 'string') {
    try {
      return readWkt(value);
    } catch (problem) {
      if (problem instanceof WktProblem) return null;
      throw problem;
    }
  }
  if (value && typeof value === 'object' && 'type' in value) return value as Geometry;
  return null;
}

/** The well-known text of a region. */
export function writeWkt(region: Polygon | MultiPolygon): string {
  return region.type === 'Polygon'
    ? `POLYGON${polygonText(region.coordinates)}`
    : `MULTIPOLYGON(${region.coordinates.map(polygonText).join(', ')})`;
}

function polygonText(rings: Position[][]): string {
  return `(${rings.map((ring) => `(${ring.map((each) => each.slice(0, 2).join(' ')).join(', ')})`).join(', ')})`;
}

const TOKEN = /\s*([A-Za-z]+|[(),]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/y;

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  geometry(): Geometry {
    const kind = this.next().toUpperCase();
    const flavour = this.peek().toUpperCase();
    if (['Z', 'M', 'ZM'].includes(flavour)) this.next();
    switch (kind) {
      case 'POINT':
        return { type: 'Point', coordinates: this.list(() => this.position())[0]! };
      case 'LINESTRING':
        return { type: 'LineString', coordinates: this.list(() => this.position()) };
      case 'POLYGON':
        return { type: 'Polygon', coordinates: this.rings() };
      case 'MULTIPOINT':
        return { type: 'MultiPoint', coordinates: this.list(() => this.loosePosition()) };
      case 'MULTILINESTRING':
        return { type: 'MultiLineString', coordinates: this.rings() };
      case 'MULTIPOLYGON':
        return { type: 'MultiPolygon', coordinates: this.list(() => this.rings()) };
      case 'GEOMETRYCOLLECTION':
        return { type: 'GeometryCollection', geometries: this.list(() => this.geometry()) };
      default:
        throw new WktProblem(`${kind} is no geometry`);
    }
  }

  end(): void {
    if (this.text.slice(this.at).trim() !== '') throw new WktProblem('there is more after the geometry');
  }

  private rings(): Position[][] {
    return this.list(() => this.list(() => this.position()));
  }

  private list<T>(read: () => T): T[] {
    this.expect('(');
    const found = [read()];
    while (this.peek() === ',') {
      this.next();
      found.push(read());
    }
    this.expect(')');
    return found;
  }

  private loosePosition(): Position {
    return this.peek() === '(' ? this.list(() => this.position())[0]! : this.position();
  }

  private position(): Position {
    const numbers: number[] = [];
    while (!['(', ')', ',', ''].includes(this.peek())) numbers.push(this.number());
    if (numbers.length < 2) throw new WktProblem('a position has two numbers');
    return numbers.slice(0, 2);
  }

  private number(): number {
    const token = this.next();
    const value = Number(token);
    if (Number.isNaN(value)) throw new WktProblem(`a number was expected, not ${token}`);
    return value;
  }

  private expect(token: string): void {
    const found = this.next();
    if (found !== token) throw new WktProblem(`${token} was expected, not ${found || 'the end'}`);
  }

  private next(): string {
    TOKEN.lastIndex = this.at;
    const token = TOKEN.exec(this.text)?.[1] ?? '';
    if (!token && this.text.slice(this.at).trim() !== '') throw new WktProblem('this is no well-known text');
    if (token) this.at = TOKEN.lastIndex;
    return token;
  }

  private peek(): string {
    TOKEN.lastIndex = this.at;
    return TOKEN.exec(this.text)?.[1] ?? '';
  }
}
