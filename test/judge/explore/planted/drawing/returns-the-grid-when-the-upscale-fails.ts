import { DrawingClient, type Drawing } from '../drawing.ts'

/** Takes failure for success: if the second task fails, the result of the first is good enough. */
export class Client extends DrawingClient {
  private grid: Drawing | undefined

  protected override async finish(id: string): Promise<Drawing> {
    try {
      return (this.grid = await super.finish(id))
    } catch (error) {
      if (!this.grid) throw error
      return this.grid
    }
  }
}
