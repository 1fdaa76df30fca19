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
import { conjoin, jsonTypes, takesType, type Choice, type Conjunction, type JsonType, type SchemaNode } from './node.ts' // prettier-ignore
import { drawNumber } from './numbers.ts'
import { inventText, textKind, rangeFor } from './property-names.ts'
import { contradict, Contradiction, refuseSchema, schemaWork } from './refuse.ts'
import { drawText } from './texts.ts'

interface OpenValues {
  all: readonly unknown[]
  named: number
}

const richDepth = 6
const maxDepth = 100
/** How many times a value is drawn again until it fits no other alternative, or no `not`. */
const maxAttempts = 20
/** How many combinations of alternatives may fail. */
const maxFailures = 150

/** The work units of a value, and of considering a name or an alternative for it. */
const valueWork = 10
const nameWork = 0.5
const choiceWork = 3

/** Writes one value that is valid for a schema. */
export class InstanceWriter implements ValueWriter {
  readonly options: InstanceOptions
  readonly #depths: MinDepths
  readonly #open = new Map<SchemaNode, OpenValues>()
  #values = 0
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
    return this.#decide(conjoin(parts, this.options.work), at)
  }

  isRich(depth: number): boolean {
    return depth < richDepth && this.options.optional !== 'none'
  }

  #decide({ nodes, choices }: Conjunction, at: ValuePlace): unknown {
    const { work } = this.options
    const [choice, ...rest] = choices
    if (choice === undefined) return this.#withoutNot(nodes, at)
    let failure: unknown
    for (const part of this.#ordered(choice, at)) {
      for (let attempt = 0; attempt < (choice.isOneOf ? maxAttempts : 1); attempt++) {
        const more = conjoin([part], work)
        work.spend(1 + nodes.length * nameWork, schemaWork)
        const open = { nodes: [...nodes, ...more.nodes], choices: [...rest, ...more.choices] }
        try {
          const value = this.#decide(open, again(at, attempt))
          if (!choice.isOneOf || choice.parts.filter((each) => fits(each, value, work)).length === 1)
            return value
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
    const { rng, work } = this.options
    work.spend(parts.length * choiceWork, schemaWork)
    const depthOf = (part: SchemaNode): number => this.#depths.get(part) ?? 0
    if (!this.isRich(depth)) return parts.toSorted((one, other) => depthOf(one) - depthOf(other))
    const weights = new Map(
      parts.map((part, index) => [part, rng.unit(`choice${path}/${pointer}/${index}`) + (isNull(part) ? 0.8 : 0)]), // prettier-ignore
    )
    return parts
      .filter((part) => depthOf(part) < Infinity)
      .toSorted((one, other) => weights.get(one)! - weights.get(other)!)
  }

  /** Draws until the value fits no `not`. */
  #withoutNot(nodes: readonly SchemaNode[], at: ValuePlace): unknown {
    const excluded = nodes.flatMap(({ not }) => not ?? [])
    if (excluded.length === 0) return this.#plain(nodes, excluded, at)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const value = this.#plain(nodes, excluded, again(at, attempt))
      if (!excluded.some((each) => fits(each, value, this.options.work))) return value
    }
    return contradict(excluded[0]!.pointer, 'all that fits the rest of the schema fits it too')
  }

  #plain(nodes: readonly SchemaNode[], excluded: readonly SchemaNode[], at: ValuePlace): unknown {
    const { suggest, rng, maxValues, work } = this.options
    work.spend(valueWork + nodes.length, schemaWork)
    const { pointer } = nodes[0]!
    if (++this.#values > maxValues) {
      throw new SchemaRefused(`The schema is refused at ${pointer || 'the root'}: its values would be larger than ${maxValues} places. Require less of it.`, pointer) // prettier-ignore
    }
    if (at.depth > maxDepth) contradict(pointer, `it has values deeper than ${maxDepth} levels`)
    if (nodes.some(({ never }) => never === true)) contradict(pointer, 'nothing fits here')
    const suits = (each: unknown): boolean => nodes.every((node) => fits(node, each, work))
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
    for (const type of this.#typesFor(nodes, excluded, at)) {
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
    this.options.work.spend(fitting.length * choiceWork, schemaWork)
    const named = new Set(this.options.choose(fitting))
    const open = { all: [...named, ...fitting.filter((each) => !named.has(each))], named: named.size }
    if (nodes.length === 1) this.#open.set(nodes[0]!, open)
    return open
  }

  #typesFor(
    nodes: readonly SchemaNode[],
    excluded: readonly SchemaNode[],
    { path, depth }: ValuePlace,
  ): readonly JsonType[] {
    const declared = nodes.flatMap(({ types }) => types ?? [])
    const isOpen = (type: JsonType): boolean =>
      declared.every((types) => takesType(types, type)) &&
      !excluded.some((node) => isOnlyType(node) && takesType(node.types!, type))
    if (declared.length === 0) {
      const implied = [...new Set(nodes.flatMap(impliedTypes))]
      const isNumeric = nodes.some(({ minimum, maximum, multipleOf }) => (minimum ?? maximum ?? multipleOf) !== undefined) // prettier-ignore
      const likely: JsonType[] = implied.length > 0 ? implied : isNumeric ? ['number'] : ['string']
      return [...new Set(excluded.length > 0 ? [...likely, ...jsonTypes] : likely)].filter(isOpen)
    }
    const weight = (type: JsonType): number => {
      if (this.isRich(depth)) return this.options.rng.unit(`type${path}/${type}`) + (type === 'null' ? 0.8 : 0) // prettier-ignore
      return type === 'object' ? 2 : type === 'array' ? 1 : 0
    }
    const open = [...new Set(declared.flatMap((types) => [...types]))].filter(isOpen)
    return open.toSorted((one, other) => weight(one) - weight(other))
  }

  #ofType(type: JsonType, nodes: readonly SchemaNode[], at: ValuePlace): unknown {
    const { rng, words, write, work } = this.options
    const { pointer } = nodes[0]!
    const own = rng.of(`at${at.path}`)
    if (type === 'null') return null
    if (type === 'boolean') return own.unit('boolean') < 0.6
    if (type === 'object') return drawObject(this, nodes, at)
    if (type === 'array') return drawArray(this, nodes, at)
    if (type === 'string') {
      const kind = textKind(at.name)
      const invent = (): string => (kind === 'other' ? inventText(at.name, own, words) : write(kind, own))
      const text = drawText(nodes, invent, own, words, work)
      return text ?? contradict(pointer, 'no text fits all that is required of it')
    }
    const number = drawNumber(nodes, type === 'integer', rangeFor(at.name), own, work)
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

/** Whether a node restricts only the type. */
function isOnlyType(node: SchemaNode): boolean {
  return Object.keys(node).every((keyword) => keyword === 'pointer' || keyword === 'types') && 'types' in node
}
