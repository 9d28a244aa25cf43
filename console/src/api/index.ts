export { api, address } from './client';
export { forgetKey, giveKey, keptKey, keyWanted } from './key';
export { asProblem, Problem } from './problem';
export type { Stream, StreamOptions } from './stream';
export type * from './types';
