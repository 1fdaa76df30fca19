/**
 * How much work one request may cost, in units of about a microsecond. Together with what is not counted, a request stays
 * well below 100 ms of processor time.
 */
export const maxRequestWork = 50_000

/** A request that costs more than its budget. The message is meant for the client. */
export class WorkRefused extends Error {
  override name = 'WorkRefused'

  constructor(limit: number, spentOn: string) {
    super(
      `The request is too much work: its budget of ${limit} units ran out on ${spentOn}. Make it smaller, or split it.`,
    )
  }
}

/**
 * The work that one request may still cost, whatever it is spent on. Units are counted, never measured, so that the same
 * request is taken or refused on every machine.
 */
export class WorkBudget {
  readonly #limit: number
  #spent = 0

  constructor(limit: number = maxRequestWork) {
    this.#limit = limit
  }

  /** The units that were spent so far. */
  get spent(): number {
    return this.#spent
  }

  /**
   * Spends units.
   * @param spentOn what needs them, for the message: such as `its JSON schema`.
   * @throws {WorkRefused} when there are not as many left.
   */
  spend(units: number, spentOn: string): void {
    this.#spent += units
    if (this.#spent > this.#limit) throw new WorkRefused(this.#limit, spentOn)
  }
}
