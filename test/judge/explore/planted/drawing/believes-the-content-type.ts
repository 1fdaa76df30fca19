import { DrawingClient } from '../drawing.ts'

/** Parses a submission only if it is labelled as JSON, which some gateways don't do. */
export class Client extends DrawingClient {
  protected override async readSubmission(response: Response) {
    const type = response.headers.get('content-type') ?? ''
    if (!type.includes('json')) throw new Error(`unexpected content type ${type}`)
    return super.readSubmission(response)
  }
}
