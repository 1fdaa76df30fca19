import type { Photo } from '../../../pictures/composition/drawing.ts'
import { frameOf } from './frame.ts'
import type { DrawingPrompt } from './prompt.ts'
import type { Shows } from '../shows.ts'

/** What draws a prompt that doesn't say it. */
export const defaultVersion = '7'

/** What a prompt shows: a grid of four, in the shape that its flags ask for. */
export function imaginedShows(
  { text, flags }: DrawingPrompt,
  images: readonly Photo[],
  version: string,
): (seed: number) => Shows {
  const { chaos, without, tile, imageWeight } = flags
  return (seed) => ({
    kind: 'grid',
    drawing: {
      base: {
        kind: 'imagine',
        prompt: text,
        model: version,
        seed,
        ...frameOf(flags.ratio ?? 1),
        ...(chaos ? { chaos } : {}),
        ...(without && { without }),
        ...(tile && { tile }),
        ...(images.length > 0 && { images }),
        ...(imageWeight !== undefined && { imageWeight }),
      },
      edits: [],
    },
  })
}

/** What draws a prompt: the version it names, or that of the bot that is asked. */
export function versionOf({ flags }: DrawingPrompt, botType: unknown): string {
  const isNiji = typeof botType === 'string' && /^niji/i.test(botType)
  return flags.version ?? (isNiji ? 'niji 7' : defaultVersion)
}
