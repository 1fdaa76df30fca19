/**
 * How much work one request may cost, in units of about a microsecond. With the work that is not counted, a request
 * stays well below 100 ms of processor time.
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
 * The work that one request may still cost. Units are counted, never measured, so every machine accepts or refuses
 * the same requests.
 */
export class WorkBudget {
  readonly #limit: number
  #spent = 0

  constructor(limit: number = maxRequestWork) {
    this.#limit = limit
  }

  /** The units spent so far. */
  get spent(): number {
    return this.#spent
  }

  /**
   * Spends units.
   * @param spentOn what needs them, for the message, such as `its JSON schema`.
   * @throws {WorkRefused} when fewer are left.
   */
  spend(units: number, spentOn: string): void {
    this.#spent += units
    if (this.#spent > this.#limit) throw new WorkRefused(this.#limit, spentOn)
  }
}
