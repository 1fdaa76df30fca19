import type { ClipSpec } from '../../../media/spec.ts'
import type { Drawing } from '../../../pictures/composition/drawing.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { evenSize, sizeOf } from '../../video/size.ts'
import { drawingRequest, type Films } from '../shows.ts'
import type { DrawingSettings } from '../settings.ts'
import { sizeOf as drawnSize } from '../../../pictures/composition/drawing-size.ts'

/** What is asked of films beside the picture they set in motion. */
export interface FilmWishes {
  readonly prompt: string
  readonly motion?: 'low' | 'high' | undefined
  readonly loop?: boolean | undefined
  /** How many: 4 as usual. */
  readonly count?: number | undefined
  /** The short side in pixels. */
  readonly lines?: number | undefined
}

/** @assumed §2.5 films of drawings are not shown; wire §7.3, and the channel's public documentation for their length. */
const filmSeconds = { first: 5, extension: 4, longest: 21 } as const

/** Films of a picture: each moves otherwise. */
export function filmsOf(
  drawing: Drawing,
  wishes: FilmWishes,
  seed: number,
  settings: DrawingSettings,
): Films {
  const { width, height } = drawnSize(drawing)
  const { quality, framesPerSecond } = settings
  const wanted = sizeOf(wishes.lines ?? 480, Math.min(4, Math.max(0.25, width / height)))
  return {
    prompt: wishes.prompt,
    seeds: seedsOf(seed, wishes.count ?? 4),
    ...evenSize(wanted),
    seconds: filmSeconds.first,
    motion: wishes.motion ?? 'low',
    loop: wishes.loop ?? false,
    quality,
    framesPerSecond: framesPerSecond[quality],
  }
}

/** One of a task's films, going on: it moves as before, unless something else is asked for. */
export function extended(
  films: Films,
  { index, motion, loop, count = 1 }: Omit<FilmWishes, 'prompt'> & { readonly index: number },
  seed: number,
): Films {
  return {
    ...films,
    seeds: [films.seeds[index]!, ...seedsOf(seed, count - 1)],
    seconds: Math.min(filmSeconds.longest, films.seconds + filmSeconds.extension),
    motion: motion ?? films.motion,
    loop: loop ?? films.loop,
  }
}

/** The same films, moving otherwise. */
export function withSeeds(films: Films, seed: number): Films {
  return { ...films, seeds: seedsOf(seed, films.seeds.length) }
}

/** What the films of a task show; none where it has none. */
export function clipsOf(task: Task): ClipSpec[] {
  const { films, drawing, model } = drawingRequest(task)
  if (!films || !drawing) return []
  const { prompt, width, height, seconds, motion, loop, quality, framesPerSecond } = films
  return films.seeds.map((seed) => ({
    kind: 'clip',
    prompt,
    model,
    seed,
    taskId: `${task.record.id}/${seed}`,
    width,
    height,
    seconds,
    framesPerSecond,
    quality,
    caption: false,
    image: { picture: { kind: 'picture', drawing } },
    motion,
    loop,
  }))
}

function seedsOf(seed: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${seed}/${index + 1}`)
}
