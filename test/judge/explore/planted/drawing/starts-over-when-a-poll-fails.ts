import { DrawingClient, type Drawing } from '../drawing.ts'

/** A poll that fails loses the task: the whole drawing is submitted again. */
export class Client extends DrawingClient {
  private restarts = 0

  protected override async poll(id: string): Promise<Drawing> {
    return (await (await this.send(`/mj/task/${id}/fetch`)).json()) as Drawing
  }

  override async draw(prompt: string): Promise<{ id: string; bytes: Uint8Array }> {
    try {
      return await super.draw(prompt)
    } catch (error) {
      if (++this.restarts > 3) throw error
      return this.draw(prompt)
    }
  }
}
