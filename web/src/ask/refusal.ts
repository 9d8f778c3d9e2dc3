// Refusal is an error answer of the server: its status code and its sentence. Status 0 means that the server was not reached.
export class Refusal extends Error {
  constructor(
    readonly status: number,
    sentence: string,
    readonly body?: unknown, // all that it answered, where that is JSON
    readonly signIn = '', // where to sign in, where that can be done here
    readonly after = 0, // milliseconds until it can be asked again, where that is known
  ) {
    super(sentence)
  }

  // saves reports whether the draft that it is about may be saved all the same: it takes too long to look at, and saving judges it.
  get saves(): boolean {
    return typeof this.body === 'object' && this.body !== null && 'saves' in this.body && this.body.saves === true
  }
}
