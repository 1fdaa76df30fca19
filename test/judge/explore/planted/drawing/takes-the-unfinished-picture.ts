import { DrawingClient, type Drawing } from '../drawing.ts'

/** Done as soon as there is an image URL, which a drawing in progress has. Takes the four pictures, without an upscale. */
export class Client extends DrawingClient {
  protected override isDone({ imageUrl }: Drawing): boolean {
    return imageUrl !== ''
  }

  override async draw(prompt: string): Promise<{ id: string; bytes: Uint8Array }> {
    const grid = await this.finish(await this.submit('imagine', { prompt }))
    return { id: grid.id, bytes: await this.download(grid) }
  }
}
