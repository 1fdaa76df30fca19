import type { ExplainedEntry } from '../../control/control.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { startServer } from '../../server/start.ts'
import {
  audit as sumUp,
  auditAllowances,
  auditEntries,
  auditReport,
  findStrictFailures,
  Watch,
  watchJournal,
  type Audit,
  type AuditAllowance,
} from '../../judge/index.ts'
import { explainNoRequests } from './no-requests.ts'
import { readVariables } from './variables-flag.ts'
import { askServer } from '../inspect/ask-server.ts'
import { sourceFlags, defaultUrl } from '../inspect/source-flags.ts'
import { endInWords, startChild } from './child.ts'
import { exitCodes, UsageError, wrappedOf, type Terminal } from '../terminal/command.ts'
import { judgedNamespace } from './drive-scenario.ts'
import { textOf } from '../terminal/flags.ts'
import { asJournalEntry, entriesOf, readRecordingFile } from '../inspect/recorded-entries.ts'
import { exampleKey } from '../serve/example-key.ts'
import { readStrictness, strictByEnvironment } from './strict-flag.ts'
import { warnAboutOtherNamespaces } from './trial.ts'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'

/**
 * Audits what the flags name: a command, a recorded file, or a running server.
 * @returns the exit code.
 */
export async function auditClient(
  flags: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  const command = wrappedOf(flags)
  if (command.length > 0) {
    for (const name of Object.keys(sourceFlags)) {
      if (flags[name] === undefined) continue
      throw new UsageError(
        `--${name} says where a client was; a command says which one to run. Leave one out.`,
      )
    }
    return auditCommand(command, flags, terminal)
  }
  if (flags['env'] !== undefined) {
    throw new UsageError('--env sets variables for a command. Put the command behind "--".')
  }
  const namespace = flags['namespace'] === undefined ? 'default' : textOf('namespace', flags['namespace'])
  const entries = await entriesFrom(flags, namespace, terminal)
  if (entries.length === 0 && !allowsNoRequests(flags, terminal)) {
    terminal.warn(
      `error: There are no requests in namespace "${namespace}". Run the client first, or pass --namespace.`,
    )
    return exitCodes.noRequests
  }
  return tell(auditEntries(entries), flags, terminal)
}

async function entriesFrom(
  flags: Readonly<Record<string, unknown>>,
  namespace: string,
  terminal: Terminal,
): Promise<JournalEntry[]> {
  if (flags['journal'] !== undefined) {
    const recording = await readRecordingFile(textOf('journal', flags['journal']), terminal)
    return entriesOf(recording, namespace).map(asJournalEntry)
  }
  const url = flags['url'] === undefined ? defaultUrl : textOf('url', flags['url'])
  const entries = await askServer(url, `/journal?namespace=${encodeURIComponent(namespace)}`, terminal)
  return (entries as ExplainedEntry[]).map(asJournalEntry)
}

async function auditCommand(
  command: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  const server = await startServer({
    port: 0,
    quality: 'fast',
    clock: { mode: 'auto' },
    onWarning: (message) => terminal.warn(`greenroom: ${message}`),
  })
  try {
    const watch = new Watch()
    watchJournal(server.simulator.namespaces.get(judgedNamespace).journal, watch)
    const variables = sdkEnvironment({ url: server.url, key: exampleKey({}) }, readVariables(flags['env']))
    const child = await startChild(command, terminal, variables)
    const interrupted = terminal.interrupted.then(() => undefined)
    const code = await Promise.race([child.ended, interrupted]).finally(child.end)
    if (code === undefined) return exitCodes.interrupted
    const emptiness = explainNoRequests(server.simulator, variables)
    if (emptiness === undefined) warnAboutOtherNamespaces(server.simulator, terminal)
    else terminal.warn(`error: ${emptiness}`)
    const canTell = emptiness === undefined || allowsNoRequests(flags, terminal)
    const own = canTell ? tell(sumUp(watch), flags, terminal) : exitCodes.noRequests
    if (code === 0) return own
    terminal.warn(`greenroom: the command failed: it ${endInWords(code)}.`)
    return code
  } finally {
    await server.close()
  }
}

/** Only a command line that says `--no-strict` lets an audit of nothing pass. */
function allowsNoRequests(flags: Readonly<Record<string, unknown>>, terminal: Terminal): boolean {
  const { isOn, isExplicit } = readStrictness(flags, terminal)
  return isExplicit && !isOn
}

function tell(audited: Audit, flags: Readonly<Record<string, unknown>>, terminal: Terminal): number {
  const { isOn, isExplicit } = readStrictness(flags, terminal)
  const allowed = readAllowances(flags['allow'])
  const failures = isOn ? findStrictFailures(audited, allowed) : []
  const messages = failures.map(({ message }) => message)
  const passed = audited.passed && failures.length === 0
  if (flags['json'] === true) {
    terminal.print(JSON.stringify({ ...audited, passed, ...(isOn && { strictFailures: messages }) }))
  } else {
    const lines = messages.map((message) => `✗ strict: ${message}`)
    terminal.print([auditReport(audited).trimEnd(), ...(lines.length > 0 ? ['', ...lines] : [])].join('\n'))
  }
  if (failures.length > 0) {
    if (!isExplicit) terminal.warn(strictByEnvironment)
    const kinds = auditAllowances.filter((each) => failures.some(({ kind }) => kind === each))
    const words = kinds.map((kind) => `--allow ${kind}`).join(' ')
    terminal.warn(`hint: To allow this, pass ${words}, or --no-strict.`)
  }
  return passed ? exitCodes.ok : exitCodes.expectationFailed
}

/** @throws {UsageError} for a kind that there isn't. */
function readAllowances(value: unknown): AuditAllowance[] {
  return [value ?? []].flat().map((each) => {
    const known = auditAllowances.find((kind) => kind === each)
    if (known) return known
    throw new UsageError(`--allow is "${String(each)}": write one of ${auditAllowances.join(', ')}.`)
  })
}
