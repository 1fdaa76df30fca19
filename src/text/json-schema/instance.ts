import type { WorkBudget } from '../../engine/work-budget.ts'
import type { Rng } from '../write/rng.ts'
import { SchemaRefused } from '../spec.ts'
import { things } from '../write/phrases.ts'
import type { Words } from '../write/words.ts'
import { impliedTypes, type MinDepths } from './check.ts'
import { Contradiction, contradict, demandOf, type Constraints } from './constraints.ts'
import { fits } from './fits.ts'
import { inventText, numberWish, singular, textKind } from './hints.ts'
import { keyOf, takesType, under, type JsonType, type SchemaNode } from './node.ts'
import { schemaWork } from './schema-work.ts'
import { drawNumber } from './numbers.ts'
import { refuse } from './read.ts'
import { drawText } from './strings.ts'

/** What the values should speak of where the schema leaves them free. */
export interface InstanceWishes {
  dice: Rng
  words: Words
  /** Values for a property that come from the prompt, the likeliest first; those that don't fit are left out. */
  suggest(name: string): readonly unknown[]
  /** A sentence, or a few words, about the prompt. */
  write(kind: 'sentence' | 'title', dice: Rng): string
  /** Those values of an enumeration that the prompt names. */
  choose(values: readonly unknown[]): readonly unknown[]
  /** Which optional properties are written: most of them, those the prompt speaks of, or none. */
  optional: 'most' | 'suggested' | 'none'
  /** How many places the value may have at most. */
  maxValues: number
  /** What the value may cost. */
  work: WorkBudget
}

interface OpenValues {
  all: readonly unknown[]
  named: number
}

const richDepth = 6
/** How often an alternative is drawn until no other one fits the value too. */
const maxAttempts = 20
/** The units of a value, and of a name or an alternative that is looked at for it. */
const valueWork = 10
const nameWork = 0.5
const choiceWork = 3
/** How many combinations of alternatives are tried in vain. */
const maxFailures = 150
const deepest = 100

/**
 * A value that is valid for the schema.
 * @throws {SchemaRefused} when the schema contradicts itself where {@link checkSchema} could not see it, or when even
 * its smallest value is too large.
 */
export function drawInstance(root: SchemaNode, heights: MinDepths, wishes: InstanceWishes): unknown {
  const { dice, words, suggest, choose, write, maxValues, work } = wishes
  let values = 0
  let failures = 0
  const opened = new Map<SchemaNode, OpenValues>()

  function value(
    parts: readonly SchemaNode[],
    name: string,
    path: string,
    depth: number,
    given: number,
  ): unknown {
    return decide(demandOf(parts, work), name, path, depth, given)
  }

  function decide(demand: Constraints, name: string, path: string, depth: number, given: number): unknown {
    const [choice, ...rest] = demand.choices
    if (choice === undefined) return plain(demand.nodes, name, path, depth, given)
    let failure: unknown
    const ordered = order(choice.parts, `${path}/${choice.pointer}`, depth)
    for (const part of ordered) {
      for (let attempt = 0; attempt < (choice.only ? maxAttempts : 1); attempt++) {
        const more = demandOf([part], work)
        work.spend(1 + demand.nodes.length * nameWork, schemaWork)
        const open = { nodes: [...demand.nodes, ...more.nodes], choices: [...rest, ...more.choices] }
        try {
          const made = decide(open, name, attempt === 0 ? path : `${path}~${attempt}`, depth, given)
          if (!choice.only || choice.parts.filter((each) => fits(each, made, work)).length === 1) return made
          failure ??= new Contradiction(
            choice.pointer,
            'what fits one of its alternatives fits another one too',
          )
        } catch (error) {
          if (!(error instanceof Contradiction)) throw error
          if (++failures > maxFailures)
            refuse(choice.pointer, 'too many of its alternatives exclude each other')
          failure ??= error
          break
        }
      }
    }
    throw failure ?? new Contradiction(choice.pointer, 'none of its alternatives can be fulfilled')
  }

  /** Alternatives by lot; deep down the one that ends soonest first. Null, as a rule, is not what people want. */
  function order(parts: readonly SchemaNode[], key: string, depth: number): readonly SchemaNode[] {
    work.spend(parts.length * choiceWork, schemaWork)
    if (!isRich(depth)) return parts.toSorted((one, other) => heightOf(one) - heightOf(other))
    const lots = new Map(
      parts.map((part, index) => [part, dice.unit(`choice${key}/${index}`) + (isNull(part) ? 0.8 : 0)]),
    )
    return parts
      .filter((part) => heightOf(part) < Infinity)
      .toSorted((one, other) => lots.get(one)! - lots.get(other)!)
  }

  const heightOf = (node: SchemaNode): number => heights.get(node) ?? 0
  const isRich = (depth: number): boolean => depth < richDepth && wishes.optional !== 'none'

  function plain(
    nodes: readonly SchemaNode[],
    name: string,
    path: string,
    depth: number,
    given: number,
  ): unknown {
    work.spend(valueWork + nodes.length, schemaWork)
    const pointer = nodes[0]!.pointer
    if (++values > maxValues) {
      throw new SchemaRefused(`The schema is refused at ${pointer || 'the root'}: its values would be larger than ${maxValues} places. Require less of it.`, pointer) // prettier-ignore
    }
    if (depth > deepest) throw new Contradiction(pointer, `it has values deeper than ${deepest} levels`)
    if (nodes.some(({ never }) => never === true)) throw new Contradiction(pointer, 'nothing fits here')
    const suits = (each: unknown): boolean => nodes.every((node) => fits(node, each, work))
    const suggested = suggest(name).slice(given).find(suits)
    if (suggested !== undefined) return suggested
    const fixed = nodes.find((node) => node.values !== undefined)?.values
    if (fixed !== undefined) {
      const open = openValues(nodes, fixed, suits)
      if (open.all.length === 0)
        throw new Contradiction(pointer, 'none of the values fits the rest of the schema')
      // Where items must differ, further tries go round the values instead of drawing again.
      const start = open.named > 0 ? 0 : dice.integer(open.all.length, `value${path.replace(/~\d+$/, '')}`)
      return open.all[(start + given) % open.all.length]
    }
    let failure: unknown
    for (const type of typesOf(nodes, path, depth)) {
      try {
        return ofType(type, nodes, name, path, depth)
      } catch (error) {
        if (!(error instanceof Contradiction)) throw error
        failure ??= error
      }
    }
    throw failure ?? new Contradiction(pointer, 'no type fits all that is asked of it')
  }

  /** The values that fit, those that the prompt names first. */
  function openValues(
    nodes: readonly SchemaNode[],
    fixed: readonly unknown[],
    suits: (each: unknown) => boolean,
  ): OpenValues {
    const known = nodes.length === 1 ? opened.get(nodes[0]!) : undefined
    if (known !== undefined) return known
    const fitting = fixed.filter(suits)
    work.spend(fitting.length * choiceWork, schemaWork)
    const named = new Set(choose(fitting))
    const open = { all: [...named, ...fitting.filter((each) => !named.has(each))], named: named.size }
    if (nodes.length === 1) opened.set(nodes[0]!, open)
    return open
  }

  function typesOf(nodes: readonly SchemaNode[], path: string, depth: number): readonly JsonType[] {
    const named = nodes.flatMap(({ types }) => (types === undefined ? [] : [types]))
    const implied = [...new Set(nodes.flatMap(impliedTypes))]
    const numeric = nodes.some((node) => node.minimum !== undefined || node.maximum !== undefined || node.multipleOf !== undefined) // prettier-ignore
    const guess: readonly JsonType[] = implied.length > 0 ? implied : numeric ? ['number'] : ['string']
    if (named.length === 0) return guess
    const open = [...new Set(named.flatMap((types) => [...types]))].filter((type) => named.every((types) => takesType(types, type))) // prettier-ignore
    const weight = (type: JsonType): number => {
      if (isRich(depth)) return dice.unit(`type${path}/${type}`) + (type === 'null' ? 0.8 : 0)
      return type === 'object' ? 2 : type === 'array' ? 1 : 0
    }
    return open.toSorted((one, other) => weight(one) - weight(other))
  }

  function ofType(
    type: JsonType,
    nodes: readonly SchemaNode[],
    name: string,
    path: string,
    depth: number,
  ): unknown {
    const pointer = nodes[0]!.pointer
    const luck = dice.of(`at${path}`)
    if (type === 'null') return null
    if (type === 'boolean') return luck.unit('boolean') < 0.6
    if (type === 'object') return object(nodes, path, depth)
    if (type === 'array') return array(nodes, name, path, depth)
    if (type === 'string') {
      const kind = textKind(name)
      const invent = (): string => (kind === 'other' ? inventText(name, luck, words) : write(kind, luck))
      return (
        drawText(nodes, invent, luck, words, work) ??
        contradict(pointer, 'no text fits all that is asked of it')
      )
    }
    const drawn = drawNumber(nodes, type === 'integer', numberWish(name), luck, work)
    return drawn ?? contradict(pointer, 'no number fits all that is asked of it')
  }

  function array(nodes: readonly SchemaNode[], name: string, path: string, depth: number): unknown[] {
    const min = Math.max(0, ...nodes.map(({ minItems = 0 }) => minItems))
    const tuple = Math.max(0, ...nodes.map(({ prefixItems = [] }) => prefixItems.length))
    const closed = nodes.flatMap((node) =>
      node.items?.never === true ? [node.prefixItems?.length ?? 0] : [],
    )
    const max = Math.min(...nodes.map(({ maxItems = Infinity }) => maxItems), ...closed, Infinity)
    if (max < min) contradict(nodes[0]!.pointer, 'fewer items may be there than there must be')
    const item = singular(name)
    const some = tuple > 0 ? tuple : 1 + dice.integer(3, `items${path}`)
    const wanted = Math.max(Math.min(suggest(item).length, 10), some)
    const count = Math.min(max, isRich(depth) ? Math.max(min, wanted) : min)
    const unique = nodes.some(({ uniqueItems }) => uniqueItems === true)
    const list: unknown[] = []
    const seen = new Set<string>()
    for (let index = 0; index < count; index++) {
      try {
        list.push(distinct(index))
      } catch (error) {
        if (!(error instanceof Contradiction) || index < min) throw error
        break
      }
    }
    return list

    function distinct(index: number): unknown {
      const parts = nodes.flatMap((node) => node.prefixItems?.[index] ?? node.items ?? [])
      for (let attempt = 0; attempt < (unique ? 200 : 1); attempt++) {
        const at = `${path}/${index}${attempt === 0 ? '' : `~${attempt}`}`
        const made = parts.length === 0 ? inventText(item, dice.of(at), words) : value(parts, item, at, depth + 1, index + attempt) // prettier-ignore
        const text = unique ? keyOf(made, work) : ''
        if (unique && seen.has(text)) continue
        seen.add(text)
        return made
      }
      return contradict(nodes[0]!.pointer, 'its items must differ, but too few different ones were found')
    }
  }

  function object(nodes: readonly SchemaNode[], path: string, depth: number): Record<string, unknown> {
    const required = new Set(nodes.flatMap((node) => node.required ?? []))
    const most = Math.min(...nodes.map(({ maxProperties = Infinity }) => maxProperties), Infinity)
    const least = Math.max(0, ...nodes.map(({ minProperties = 0 }) => minProperties))
    const made = new Map<string, unknown>()
    const property = (name: string): unknown => {
      const parts = nodes.flatMap((node) => node.properties?.get(name) ?? node.additional ?? [])
      const at = under(path, name)
      const known = parts.length > 0 ? parts : [{ pointer: at }]
      return value(known, name, at, depth + 1, 0)
    }
    for (const name of required) made.set(name, property(name))
    const declared = [...new Set(nodes.flatMap((node) => [...(node.properties?.keys() ?? [])]))]
    work.spend((required.size + declared.length) * nodes.length * nameWork, schemaWork)
    const optional = declared.filter((name) => !required.has(name))
    for (const name of optional) {
      if (made.size >= most || (made.size >= least && !isWanted(name, nodes, path, depth))) continue
      addIfPossible(name)
    }
    const record = nodes.find(({ additional }) => additional !== undefined && additional.never !== true)
    const invented = Math.max(
      least,
      record !== undefined && declared.length === 0 && isRich(depth) && most >= 2 ? 2 : 0,
    )
    for (let more = 0; made.size < invented && more < least + 20; more++)
      addIfPossible(newName(nodes, path, more))
    if (made.size < least) contradict(nodes[0]!.pointer, `fewer than ${least} properties are possible`)
    return inOrder(made, nodes, declared)

    function addIfPossible(name: string): void {
      if (made.has(name)) return
      try {
        made.set(name, property(name))
      } catch (error) {
        if (!(error instanceof Contradiction)) throw error
      }
    }
  }

  function isWanted(name: string, nodes: readonly SchemaNode[], path: string, depth: number): boolean {
    if (!isRich(depth)) return false
    if (wishes.optional === 'most') return dice.unit(`optional${path}/${name}`) < 0.8
    const values = nodes.flatMap((node) => node.properties?.get(name)?.values ?? [])
    return suggest(name).length > 0 || choose(values).length > 0
  }

  function newName(nodes: readonly SchemaNode[], path: string, index: number): string {
    const luck = dice.of(`name${path}/${index}`)
    const rules = nodes.flatMap(({ propertyNames }) => propertyNames ?? [])
    if (rules.length > 0) return String(value(rules, '', `${path}/${index}~name`, 1, 0))
    return `${luck.pick(things, 'thing')}${index < 10 ? '' : index}`
  }

  return value([root], '', '', 0, 0)
}

function inOrder(
  made: ReadonlyMap<string, unknown>,
  nodes: readonly SchemaNode[],
  declared: readonly string[],
): Record<string, unknown> {
  const names = new Set([...nodes.flatMap((node) => node.order ?? []), ...declared, ...made.keys()])
  return Object.fromEntries([...names].filter((name) => made.has(name)).map((name) => [name, made.get(name)]))
}

function isNull(node: SchemaNode): boolean {
  return node.types?.size === 1 && node.types.has('null')
}
