/** A problem that the service tells, with the code, the hint and the place of its document. */
export class Problem extends Error {
  readonly code: string;
  readonly detail: string;
  readonly status: number;
  readonly hint?: string;
  readonly token?: string;
  readonly line?: number;
  readonly column?: number;

  constructor(status: number, document: ProblemDocument) {
    super(document.detail);
    this.name = 'Problem';
    this.status = status;
    this.code = document.code;
    this.detail = document.detail;
    this.hint = document.hint;
    this.token = document.token;
    this.line = document.line;
    this.column = document.column;
  }
}

export interface ProblemDocument {
  code: string;
  detail: string;
  hint?: string;
  token?: string;
  line?: number;
  column?: number;
}

/** The problem of an answer, also where a proxy has answered something else than a document. */
export async function problemOf(response: Response): Promise<Problem> {
  const fallback = { code: `HTTP ${response.status}`, detail: response.statusText || 'no answer' };
  try {
    const body: unknown = await response.json();
    return new Problem(response.status, { ...fallback, ...(body as object) });
  } catch {
    return new Problem(response.status, fallback);
  }
}

/** The problem of any error: a service that cannot be reached is one, too. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof TypeError && /fetch|network/i.test(error.message))
    return new Problem(0, {
      code: 'Unreachable',
      detail: 'the service does not answer',
      hint: 'is it running? the console tries again by itself',
    });
  return new Problem(0, { code: 'ConsoleError', detail: String(error) });
}
