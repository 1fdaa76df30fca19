import { SchemaRefused } from '../spec.ts'
import { impliedTypes, type MinDepths } from './check.ts'
import {
  drawArray,
  drawObject,
  type InstanceOptions,
  type ValuePlace,
  type ValueWriter,
} from './containers.ts'
import { fits } from './fits.ts'
import { conjoin, takesType, type Choice, type Conjunction, type JsonType, type SchemaNode } from './node.ts' // prettier-ignore
import { drawNumber } from './numbers.ts'
import { inventText, textKind, rangeFor } from './property-names.ts'
import { contradict, Contradiction, refuseSchema } from './refuse.ts'
import { drawText } from './texts.ts'

interface OpenValues {
  all: readonly unknown[]
  named: number
}

const richDepth = 6
const maxDepth = 100
/** How many times a value is drawn again until it fits no other alternative. */
const maxAttempts = 20
/** How many combinations of alternatives may fail. */
const maxFailures = 150

/** How many nodes, alternatives, names and comparisons are considered for a value, on average. */
const maxStepsOfValue = 20

/** Writes one value that is valid for a schema. */
export class InstanceWriter implements ValueWriter {
  readonly options: InstanceOptions
  readonly #depths: MinDepths
  readonly #open = new Map<SchemaNode, OpenValues>()
  #values = 0
  #steps = 0
  #failures = 0

  constructor(depths: MinDepths, options: InstanceOptions) {
    this.#depths = depths
    this.options = options
  }

  /**
   * @throws {SchemaRefused} if even the smallest value is too large.
   * @throws {Contradiction} if requirements of the nodes exclude each other in a way that `checkSchema` can't detect.
   */
  value(parts: readonly SchemaNode[], at: ValuePlace): unknown {
    const all = conjoin(parts)
    this.count(all.nodes.length, parts[0]!.pointer)
    return this.#decide(all, at)
  }

  count(steps: number, pointer: string): void {
    this.#steps += steps
    if (this.#steps > maxStepsOfValue * this.options.maxValues)
      refuseSchema(pointer, 'it combines too much: make it smaller')
  }

  isRich(depth: number): boolean {
    return depth < richDepth && this.options.optional !== 'none'
  }

  #decide({ nodes, choices }: Conjunction, at: ValuePlace): unknown {
    const [choice, ...rest] = choices
    if (choice === undefined) return this.#plain(nodes, at)
    let failure: unknown
    for (const part of this.#ordered(choice, at)) {
      for (let attempt = 0; attempt < (choice.isOneOf ? maxAttempts : 1); attempt++) {
        const more = conjoin([part])
        const open = { nodes: [...nodes, ...more.nodes], choices: [...rest, ...more.choices] }
        try {
          const value = this.#decide(open, again(at, attempt))
          if (!choice.isOneOf || choice.parts.filter((each) => fits(each, value)).length === 1) return value
          failure ??= new Contradiction(choice.pointer, 'what fits one of its alternatives fits another one too') // prettier-ignore
        } catch (error) {
          if (!(error instanceof Contradiction)) throw error
          if (++this.#failures > maxFailures)
            refuseSchema(choice.pointer, 'too many of its alternatives exclude each other')
          failure ??= error
          break
        }
      }
    }
    throw failure ?? new Contradiction(choice.pointer, 'none of its alternatives can be fulfilled')
  }

  /**
   * The alternatives in drawn order. At great depth, the one that ends soonest comes first. Null comes late, because people
   * seldom expect it.
   */
  #ordered({ parts, pointer }: Choice, { path, depth }: ValuePlace): readonly SchemaNode[] {
    const { rng } = this.options
    this.count(parts.length, pointer)
    const depthOf = (part: SchemaNode): number => this.#depths.get(part) ?? 0
    if (!this.isRich(depth)) return parts.toSorted((one, other) => depthOf(one) - depthOf(other))
    const weights = new Map(
      parts.map((part, index) => [part, rng.unit(`choice${path}/${pointer}/${index}`) + (isNull(part) ? 0.8 : 0)]), // prettier-ignore
    )
    return parts
      .filter((part) => depthOf(part) < Infinity)
      .toSorted((one, other) => weights.get(one)! - weights.get(other)!)
  }

  #plain(nodes: readonly SchemaNode[], at: ValuePlace): unknown {
    const { suggest, rng, maxValues } = this.options
    const { pointer } = nodes[0]!
    if (++this.#values > maxValues) {
      throw new SchemaRefused(`The schema is refused at ${pointer || 'the root'}: its values would be larger than ${maxValues} places. Require less of it.`, pointer) // prettier-ignore
    }
    if (at.depth > maxDepth) contradict(pointer, `it has values deeper than ${maxDepth} levels`)
    if (nodes.some(({ never }) => never === true)) contradict(pointer, 'nothing fits here')
    const suits = (each: unknown): boolean => {
      this.count(nodes.length, pointer)
      return nodes.every((node) => fits(node, each))
    }
    const suggested = suggest(at.name).slice(at.taken).find(suits)
    if (suggested !== undefined) return suggested
    const fixed = nodes.find((node) => node.values !== undefined)?.values
    if (fixed !== undefined) {
      const { all, named } = this.#openValues(nodes, fixed, suits)
      if (all.length === 0) contradict(pointer, 'none of the values fits the rest of the schema')
      // If items must differ, further tries take the next values instead of drawing again.
      const start = named > 0 ? 0 : rng.integer(all.length, `value${at.path.replace(/~\d+$/, '')}`)
      return all[(start + at.taken) % all.length]
    }
    let failure: unknown
    for (const type of this.#typesFor(nodes, at)) {
      try {
        return this.#ofType(type, nodes, at)
      } catch (error) {
        if (!(error instanceof Contradiction)) throw error
        failure ??= error
      }
    }
    throw failure ?? new Contradiction(pointer, 'no type fits all that is required of it')
  }

  /** The values that fit, with those that the prompt names first. */
  #openValues(
    nodes: readonly SchemaNode[],
    fixed: readonly unknown[],
    suits: (each: unknown) => boolean,
  ): OpenValues {
    const known = nodes.length === 1 ? this.#open.get(nodes[0]!) : undefined
    if (known !== undefined) return known
    const fitting = fixed.filter(suits)
    const named = new Set(this.options.choose(fitting))
    const open = { all: [...named, ...fitting.filter((each) => !named.has(each))], named: named.size }
    if (nodes.length === 1) this.#open.set(nodes[0]!, open)
    return open
  }

  #typesFor(nodes: readonly SchemaNode[], { path, depth }: ValuePlace): readonly JsonType[] {
    const declared = nodes.flatMap(({ types }) => types ?? [])
    const isOpen = (type: JsonType): boolean => declared.every((types) => takesType(types, type))
    if (declared.length === 0) {
      const implied = [...new Set(nodes.flatMap(impliedTypes))]
      const isNumeric = nodes.some(({ minimum, maximum, multipleOf }) => (minimum ?? maximum ?? multipleOf) !== undefined) // prettier-ignore
      return implied.length > 0 ? implied : isNumeric ? ['number'] : ['string']
    }
    const weight = (type: JsonType): number => {
      if (this.isRich(depth)) return this.options.rng.unit(`type${path}/${type}`) + (type === 'null' ? 0.8 : 0) // prettier-ignore
      return type === 'object' ? 2 : type === 'array' ? 1 : 0
    }
    const open = [...new Set(declared.flatMap((types) => [...types]))].filter(isOpen)
    return open.toSorted((one, other) => weight(one) - weight(other))
  }

  #ofType(type: JsonType, nodes: readonly SchemaNode[], at: ValuePlace): unknown {
    const { rng, words, write } = this.options
    const { pointer } = nodes[0]!
    const own = rng.of(`at${at.path}`)
    if (type === 'null') return null
    if (type === 'boolean') return own.unit('boolean') < 0.6
    if (type === 'object') return drawObject(this, nodes, at)
    if (type === 'array') return drawArray(this, nodes, at)
    if (type === 'string') {
      const kind = textKind(at.name)
      const invent = (): string => (kind === 'other' ? inventText(at.name, own, words) : write(kind, own))
      const text = drawText(nodes, invent, own, words)
      this.count((text?.length ?? 0) / 10, pointer)
      return text ?? contradict(pointer, 'no text fits all that is required of it')
    }
    const number = drawNumber(nodes, type === 'integer', rangeFor(at.name), own)
    return number ?? contradict(pointer, 'no number fits all that is required of it')
  }
}

/** The same place with other draws. */
function again(at: ValuePlace, attempt: number): ValuePlace {
  return attempt === 0 ? at : { ...at, path: `${at.path}~${attempt}` }
}

function isNull(node: SchemaNode): boolean {
  return node.types?.size === 1 && node.types.has('null')
}
