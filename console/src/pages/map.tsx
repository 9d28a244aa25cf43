import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import { api, asProblem, type EventPage, type Match, type Problem } from '../api';
import { Icon } from '../components/icons';
import { Loading, ProblemNote } from '../components/notes';
import { draftOf, newDraft, type Draft } from '../map/draft';
import { boxOf, projectionFor, type Projection } from '../map/geometry';
import { KindLegend, MatchList, PointCard, RegionList, SavedNote } from '../map/lists';
import { MapView, type MapFeature } from '../map/MapView';
import { RegionForm } from '../map/RegionForm';
import { listRegions, type Region } from '../map/regions';
import { useLivePoints } from '../map/use-live-points';
import { geometryOf } from '../map/wkt';
import { session } from '../session';
import { DEFAULT_KEY } from '../timeline/keys';
import { KeySelect } from '../timeline/KeySelect';

const CHOICES: { value: Projection; label: string }[] = [
  { value: 'globe', label: 'Globe' },
  { value: 'flat', label: 'Plane' },
];
const LOOKED_AT = 200;

/** The map opens on the globe, or on a plane where places cannot be longitude and latitude. */
export default function MapPage(_: PageProps) {
  const [regions, setRegions] = useState<Region[] | null>(null);
  const [projection, setProjection] = useState<Projection | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  useEffect(() => {
    const newest = api.get<EventPage>('/v1/events', { query: { newest: true, limit: LOOKED_AT } });
    Promise.all([listRegions(), newest]).then(
      ([found, page]) => {
        const places = page.events.flatMap((each) => (each.place ? [each.place] : []));
        setProjection(projectionFor([...places, ...found.map((each) => each.geometry)]));
        setRegions(found);
      },
      (error: unknown) => setProblem(asProblem(error)),
    );
  }, []);

  if (problem) return <ProblemNote problem={problem} />;
  if (!regions || !projection) return <Loading what="Looking at the newest events" />;
  return (
    <LiveMap
      regions={regions}
      setRegions={setRegions}
      projection={projection}
      setProjection={setProjection}
    />
  );
}

interface LiveMapProps {
  regions: Region[];
  setRegions: (regions: Region[]) => void;
  projection: Projection;
  setProjection: (projection: Projection) => void;
}

function LiveMap({ regions, setRegions, projection, setProjection }: LiveMapProps) {
  const [path, setPath] = useState(DEFAULT_KEY);
  const [isPaused, setPaused] = useState(false);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [saved, setSaved] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const map = useLivePoints(projection, path, isPaused);
  const { live } = map;

  const features = useMemo(
    () =>
      regions
        .filter((region) => region.name !== draft?.saved)
        .map((region): MapFeature => ({
          id: region.name,
          geometry: region.geometry,
          kind: 'region',
          label: region.name,
        })),
    [regions, draft?.saved],
  );

  function choose(key: string | null): void {
    setChosen(key);
    map.handle()?.choose(key);
  }

  function edit(region: Region): void {
    setSaved(null);
    setDraft(draftOf(region.name, region.geometry));
  }

  function pick(id: string, kind: 'feature' | 'point'): void {
    const region = regions.find((each) => each.name === id);
    if (kind === 'point') choose(id);
    else if (region && !draft) edit(region);
  }

  async function endDraft(name: string | null): Promise<void> {
    const wasNew = draft?.saved === null;
    setDraft(null);
    const found = await listRegions();
    setRegions(found);
    setSaved(wasNew && found.some((each) => each.name === name) ? name : null);
  }

  function show(geometry: ReturnType<typeof geometryOf>): void {
    const box = geometry && boxOf([geometry]);
    if (box) map.handle()?.fit(box);
  }

  const stored = chosen === null ? undefined : live.last.get(chosen);
  return (
    <section class="page map-page">
      <div class="page-head">
        <h1>Map</h1>
        <KeySelect value={path} change={setPath} />
        <Projections value={projection} change={setProjection} />
        <span class="spring" />
        <button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} size={15} /> {isPaused ? 'Go on' : 'Pause'}
        </button>
        <button onClick={() => live.bounds && map.handle()?.fit(live.bounds)} disabled={!live.bounds}>
          Show all
        </button>
        <button
          class="primary"
          disabled={draft !== null}
          onClick={() => {
            setSaved(null);
            setDraft(newDraft(''));
          }}
        >
          <Icon name="plus" size={15} /> Draw region
        </button>
      </div>
      {map.problem && <ProblemNote problem={map.problem} />}
      {saved && <SavedNote name={saved} />}
      <div class="map-columns">
        <div class="card map-main">
          <MapView
            features={features}
            points={live.points}
            projection={projection}
            tiles={session.value?.tiles ?? ''}
            editable={{ draft, change: setDraft }}
            onPick={pick}
            onReady={map.ready}
            label="Map of regions and moving things"
            height="100%"
          />
          <KindLegend kinds={live.kinds} points={live.points.count} />
        </div>
        <div class="map-side">
          {draft && <RegionForm draft={draft} change={setDraft} done={(name) => void endDraft(name)} />}
          {chosen !== null && stored && (
            <PointCard name={chosen} stored={stored} projection={projection} close={() => choose(null)} />
          )}
          <MatchList matches={map.matches} show={(match: Match) => show(geometryOf(match.place))} />
          <RegionList regions={regions} show={(region) => show(region.geometry)} edit={edit} />
          {map.skipped > 0 && (
            <p class="muted small">
              {map.skipped.toLocaleString('en')} events came faster than the page is told.
            </p>
          )}
        </div>
      </div>
    </section>
  );
}

function Projections({ value, change }: { value: Projection; change: (projection: Projection) => void }) {
  return (
    <div class="segments" role="group" aria-label="Coordinates are on">
      {CHOICES.map((each) => (
        <button
          key={each.value}
          class="segment"
          aria-pressed={value === each.value}
          onClick={() => change(each.value)}
        >
          {each.label}
        </button>
      ))}
    </div>
  );
}
