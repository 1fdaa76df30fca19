import { placeText, ScenarioError } from './error.ts'
import { isModule } from './file-types.ts'
import type { Unchecked } from './read-text.ts'

/** The parts of a scenario that name programs. Anything may be in them. */
interface Naming {
  readonly extends?: unknown
  readonly config?: { readonly apis?: unknown; readonly ffmpeg?: unknown; readonly handlers?: unknown }
}

/**
 * Refuses a file in YAML or JSON that names a program or a module: such a file is data, which may come from others. Its user
 * names programs by flags, or in the config of the project.
 *
 * @throws {ScenarioError} with every such place, and what to write instead.
 */
export function refusePrograms(path: string, { value, at }: Unchecked): void {
  if (isModule(path)) return
  const { extends: bases, config } = (value ?? {}) as Naming
  const found: [place: readonly PropertyKey[], sentence: string][] = []
  for (const [index, base] of namedIn(bases)) {
    const place = Array.isArray(bases) ? ['extends', index] : ['extends']
    found.push([place, `is "${base}", a program. Write that scenario in YAML, or this one in TypeScript`])
  }
  for (const [index, api] of namedIn(config?.apis))
    found.push([
      ['config', 'apis', index],
      `is "${api}", a program. Pass it by --api ${api}, or name it in greenroom.config.yaml`,
    ])
  const { ffmpeg, handlers } = config ?? {}
  if (typeof ffmpeg === 'string' && ffmpeg !== '' && ffmpeg !== 'wasm')
    found.push([['config', 'ffmpeg'], `is "${ffmpeg}", a program. Set GREENROOM_FFMPEG=${ffmpeg}`])
  if (typeof handlers === 'string')
    found.push([
      ['config', 'handlers'],
      `is "${handlers}", a program. Pass it by serve --handlers ${handlers}, or name it in greenroom.config.yaml`,
    ])
  if (found.length === 0) return
  const lines = found.map(
    ([place, sentence]) =>
      `${placeText(at(place))}: ${place.join('.')}: ${sentence}. A scenario in YAML or JSON is data: it names no programs.`,
  )
  throw new ScenarioError(lines.join('\n'))
}

function namedIn(value: unknown): [index: number, name: string][] {
  return [value ?? []]
    .flat()
    .flatMap((each: unknown, index): [number, string][] =>
      typeof each === 'string' && isModule(each) ? [[index, each]] : [],
    )
}
