import { StreamLanguage, type StreamParser, type StringStream } from '@codemirror/language';

/** The languages as the editor knows them: words, marks, a comment, and how a text may begin. */

export interface Words {
  label: string;
  about: string;
  keywords: string[];
  /** Words of a second kind: functions, types, relations. */
  types: string[];
  isAnyCase: boolean;
  comment?: RegExp;
  variable?: RegExp;
  /** What is a name of the world: an IRI, a tag, a prefixed name. */
  term?: RegExp;
  operators: RegExp;
  completes: { attributes: boolean; definitions: boolean; terms: boolean; types?: boolean };
}

const split = (words: string) => words.trim().split(/\s+/);

export const LANGUAGES: Record<string, Words> = {
  rule: {
    label: 'Rule',
    about: 'what happens in which order, what does not, how often, where, for whom',
    keywords: split(
      `WHEN THEN AND OR NOT NO WITHIN ALL FOR EACH WHERE SELECT AS POLICY HORIZON OVER EVERY BECOMES CEASES HOLDS
      ENTERS LEAVES INSIDE NEAR RING ONCE ON CHANGE TIME DISTINCT IS NULL LIKE IN BETWEEN ESCAPE TRUE FALSE`,
    ),
    types: split(
      `COUNT SUM AVG MIN MAX FIRST LAST DISTANCE BEFORE AFTER MEETS MET BY OVERLAPS OVERLAPPED STARTS STARTED DURING
      CONTAINS FINISHES FINISHED EQUALS POLYGON MULTIPOLYGON selector graph concept xml`,
    ),
    isAnyCase: true,
    variable: /^[^\W\d]\w*(?=\s*:(?!:))/,
    operators: /^(?:<>|!=|<=|>=|[=<>+\-*/×])/,
    completes: { attributes: true, definitions: true, terms: true, types: true },
  },
  selector: {
    label: 'Selector',
    about: 'a condition on the attributes of one event',
    keywords: split('AND OR NOT LIKE ESCAPE BETWEEN IN IS NULL TRUE FALSE'),
    types: [],
    isAnyCase: true,
    operators: /^(?:<>|!=|<=|>=|[=<>+\-*/])/,
    completes: { attributes: true, definitions: false, terms: false },
  },
  opsl: {
    label: 'OPSL',
    about: 'events in combination, in space and time',
    keywords: split('IN OVLP SPL DIST WHERE AND'),
    types: split('ARITH STRING POLYGON MULTIPOLYGON selector graph concept xml'),
    isAnyCase: false,
    variable: /^\$\w+;?/,
    operators: /^(?:=\||\|=|&&|\|\||!=|<>|<=|>=|[!|@=<>;])/,
    completes: { attributes: true, definitions: true, terms: true },
  },
  graph: {
    label: 'Graph',
    about: 'a small RDF graph with variables that the event must contain',
    keywords: split('PREFIX SELECT ASK WHERE OPTIONAL FILTER NOT EXISTS and or not true false a'),
    types: ['regex'],
    isAnyCase: true,
    comment: /^#[^\n]*/,
    variable: /^(?:\?\w+|_:[\w-]+)/,
    term: /^(?:<[^\s<>"{}|^`\\]*>|(?:[^\W\d_][\w-]*)?:[\w-]*)/,
    operators: /^(?:=~|!~|<=|>=|!=|&&|\|\||\^\^|[<>=!≤≥≠+/])/,
    completes: { attributes: false, definitions: true, terms: true },
  },
  concept: {
    label: 'Concept',
    about: 'what an event is in the words of the business, and how such events lie in time',
    keywords: split('and or not forall all exists some Thing Nothing correlate by anchored'),
    types: split(
      `Equals Before Meets Overlaps Starts Finishes During After MetBy OverlappedBy StartedBy FinishedBy Contains
      intBefore intMeets intOverlaps intDuring selector graph concept xml ObjectEvent AggregationEvent TransactionEvent
      TransformationEvent AssociationEvent QuantityEvent`,
    ),
    isAnyCase: false,
    comment: /^#[^\n]*/,
    term: /^<[^<>"{}|^`\\\s]+>/,
    operators: /^(?:<=|>=|!=|[<>=≤≥≠&|.∀∃¬⊓⊔∧∨])/,
    completes: { attributes: true, definitions: true, terms: true },
  },
  exmlql: {
    label: 'E-XML-QL',
    about: 'XML documents that belong together, and new ones made of them',
    keywords: split(
      'WHERE NAMESPACE WITHIN CONTEXT CONSTRUCT XPATH ELEMENT_AS CONTENT_AS ORDER BY ORDERED-BY DESCENDING IN LIKE ESCAPE AND OR NOT',
    ),
    types: split(
      `Recent Exclusive Globe abs concat date format if length lower number replace round string substring trim upper`,
    ),
    isAnyCase: false,
    variable: /^[$#][A-Za-z_]\w*/,
    term: /^<\/?[\w.:|*+?()-]*>?/,
    operators: /^(?:~>|=>|_\|_|\|\||!=|<=|>=|[;:|=<>!+*/-])/,
    completes: { attributes: true, definitions: false, terms: false },
  },
};

export const LANGUAGE_NAMES = Object.keys(LANGUAGES);

const STRING = /^(?:'(?:[^']|'')*'?|"(?:[^"\\]|""|\\.)*"?)/;
const QUOTED_NAME = /^`[^`]*`?/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?:\s?(?:us|ms|s|min|m|h|d)(?!\w))?/;
const NAME = /^[^\W\d][\w]*(?:[.-](?=\w)[\w]+)*/;
const BRACKET = /^[()[\]{},.;:]/;

function isWord(words: string[], word: string, isAnyCase: boolean): boolean {
  return isAnyCase ? words.some((each) => each.toLowerCase() === word.toLowerCase()) : words.includes(word);
}

function readToken(words: Words, stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (words.comment && stream.match(words.comment)) return 'comment';
  if (stream.match(STRING)) return 'string';
  if (words.variable && stream.match(words.variable)) return 'variableName.special';
  if (words.term && stream.match(words.term)) return 'typeName';
  if (stream.match(NUMBER)) return 'number';
  if (stream.match(QUOTED_NAME)) return 'variableName';
  const name = stream.match(NAME) as RegExpMatchArray | null;
  if (name) return nameKind(words, name[0]);
  if (stream.match(words.operators)) return 'operator';
  if (stream.match(BRACKET)) return 'punctuation';
  stream.next();
  return null;
}

function nameKind(words: Words, name: string): string {
  if (isWord(words.keywords, name, words.isAnyCase)) return 'keyword';
  if (isWord(words.types, name, words.isAnyCase)) return 'className';
  return 'variableName';
}

/** The highlighting of a language; one that is not known is plain text. */
export function highlighting(language: string): StreamLanguage<unknown> {
  const words = LANGUAGES[language];
  const parser: StreamParser<unknown> = {
    name: language,
    token: (stream) => {
      if (words) return readToken(words, stream);
      stream.skipToEnd();
      return null;
    },
  };
  return StreamLanguage.define(parser);
}
