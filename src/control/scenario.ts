import * as z from 'zod/mini'
import { optionalText } from '../scenario/schema/json-values.ts'
import type { Task } from '../engine/tasks/tasks.ts'
import { fitsGlob } from '../engine/glob.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import type { ListedRule } from '../scenario/rules/rule.ts'
import { optionsSchema } from '../scenario/vocabulary/options-schema.ts'
import type { Rule } from '../scenario/vocabulary/types.ts'
import { version } from '../version.ts'
import type { ControlCore } from './core.ts'
import { ControlError, routesFor, TextDocument, type ControlRoute } from './route.ts'

/** The events of a namespace as a scenario file, and the events that the file can't express. */
interface SavedScenario {
  readonly text: string
  readonly notes: readonly string[]
}

/** Scenario files as texts. The parser is loaded on first use. */
export class ScenarioControl {
  readonly #core: ControlCore

  constructor(core: ControlCore) {
    this.#core = core
  }

  /** Checks a scenario. Returns every mistake with its place. */
  async check(text: string): Promise<{ ok: true } | { ok: false; message: string }> {
    const { parseScenario } = await import('../files/parse.ts')
    const { lintMistakes } = await import('../files/lint/lint.ts')
    try {
      const mistakes = lintMistakes(await parseScenario(text, 'scenario.yaml'))
      return mistakes.length === 0 ? { ok: true } : { ok: false, message: mistakes.join('\n') }
    } catch (error) {
      return { ok: false, message: (error as Error).message }
    }
  }

  /**
   * Saves the changes to a namespace so far as a scenario: rules, and manual changes of tasks. Rules for single requests
   * contain the number of the request that they fired on.
   */
  async save(namespace: string): Promise<SavedScenario> {
    const { rules, tasks, namespaces, draws, options } = this.#core
    const entries = namespaces.has(namespace) ? namespaces.get(namespace).journal.entries() : []
    const notes: string[] = []
    const listed = rules.list(namespace).flatMap((rule) => saveRule(rule, entries, notes))
    const changed = tasks.list(namespace).flatMap((task) => saveTransition(task))
    if (listed.some(({ on }) => on !== undefined))
      notes.push(
        '"on" counts requests in the order of their arrival: exact for one client, a guess for several at once.',
      )
    const first = entries[0]?.number ?? 1
    if (first > 1)
      notes.push(`The journal no longer has requests 1 to ${first - 1}, so some "on" may be too low.`)
    if (options.keys !== undefined) notes.push('The keys of the server are left out.')
    const { stringify } = await import('../files/yaml-text.ts')
    const allRules = [...changed, ...listed]
    const config = configOf(this.#core)
    const scenario = {
      version: 1,
      name: `saved from ${namespace}`,
      seed: draws.seed,
      ...(Object.keys(config).length > 0 && { config }),
      ...(allRules.length > 0 && { rules: allRules }),
      ...(options.throttles !== undefined &&
        options.throttles.length > 0 && { throttles: options.throttles }),
    }
    const comments = [`Saved by greenroom ${version}.`, ...notes].map((line) => `# ${line}\n`).join('')
    return { text: comments + stringify(scenario), notes }
  }
}

/** Options that a scenario has elsewhere, that are secret, or that belong to one server. */
const left = /^(?:seed|rules|throttles|keys|strictKeys|control\w+|publicUrl|shard|retention|limits)$/

function configOf({ options, operations }: ControlCore): Record<string, unknown> {
  const names = Object.keys(optionsSchema(operations).shape).filter((name) => !left.test(name))
  const given = options as Readonly<Record<string, unknown>>
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}

function saveRule(
  { layer, id, rule }: ListedRule,
  entries: readonly JournalEntry[],
  notes: string[],
): Rule[] {
  if (layer !== 'next') return [{ id, ...rule }]
  const { times: _times, ...rest } = rule
  const { op = '*', role: wanted } = rule.match
  const operations = [op].flat()
  const roles = wanted && [wanted].flat()
  const matching = entries.filter(
    ({ operation, role, authorized }) =>
      authorized &&
      operation !== null &&
      (roles?.includes(role!) ?? true) &&
      operations.some((each) => fitsGlob(each, operation)),
  )
  const on = matching.flatMap(({ rules }, index) => (rules.includes(id) ? [index + 1] : []))
  if (on.length === 0) {
    notes.push(`Rule ${id} has not fired, so it is left out.`)
    return []
  }
  return [{ id, ...rest, on: on.length === 1 ? on[0]! : on }]
}

/** Saves a task that was changed by hand with its actual timeline. */
function saveTransition({ record, amendments, timeline }: Task): Rule[] {
  const isByHand = (each: (typeof amendments)[number]): boolean =>
    each.kind === 'end' || (each.kind === 'transition' && each.cause === 'control')
  if (!amendments.some(isByHand)) return []
  const steps = timeline.spans
    .slice(1)
    .map(({ state, from }) => ({ after: `${from - record.submittedAt}ms`, status: state }))
  const reason = timeline.reason === '' ? {} : { reason: timeline.reason }
  return [
    {
      match: { op: record.operation, task: { nth: record.nth! } },
      task: { timeline: steps, ...reason },
    } as Rule,
  ]
}

const route = routesFor<ScenarioControl>()

export const scenarioRoutes: readonly ControlRoute<ScenarioControl>[] = [
  route(
    'GET /scenario',
    'what happened so far, as a scenario file',
    () => ({
      answer: { json: z.object({ text: z.string(), notes: z.array(z.string()) }), texts: ['text/yaml'] },
    }),
    async (scenario, { namespace, header }) => {
      const saved = await scenario.save(namespace)
      if (header('accept').includes('application/json')) return saved
      return new TextDocument(saved.text, { 'Content-Type': 'text/yaml; charset=utf-8' })
    },
  ),
  route(
    'POST /scenario/check',
    'whether a text is a scenario file without mistakes, and what is wrong with it',
    () => ({
      takesText: true as const,
      answer: { json: z.object({ ok: z.boolean(), message: optionalText }) },
    }),
    (scenario, { text }) => {
      if (text.trim() === '')
        throw new ControlError(400, 'The body is empty. Send the text of a scenario file.')
      return scenario.check(wrappedText(text) ?? text)
    },
  ),
]

/** The text in `{"text": "…"}`, which is not a scenario itself. */
function wrappedText(body: string): string | undefined {
  if (!body.startsWith('{"text"')) return undefined
  try {
    const { text } = JSON.parse(body) as { text?: unknown }
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
