import type { ListedCommand } from './command.ts'

/** All commands, in the order of the help. */
export const commands: readonly ListedCommand[] = [
  {
    name: 'init',
    group: 'Get started',
    summary: 'Write a first config, scenario, test and CI workflow into a project',
    load: async () => (await import('../project/init.ts')).init,
  },
  {
    name: 'doctor',
    group: 'Get started',
    summary: 'Check this machine and this project, say what to mend, and mend the encoder',
    load: async () => (await import('../doctor/doctor.ts')).doctor,
  },
  {
    name: 'serve',
    group: 'Serve',
    summary: 'Start the simulator',
    load: async () => (await import('../serve/serve.ts')).serve,
  },
  {
    name: 'run',
    group: 'Test a client',
    argument: '[files..]',
    summary: 'Run a command (or the reference client), with scenarios or without, and judge it',
    load: async () => (await import('../run/run.ts')).run,
  },
  {
    name: 'explore',
    group: 'Test a client',
    argument: '[files..]',
    summary: "Search for a client's mistakes with one fault at a time, and write each as a scenario",
    load: async () => (await import('../run/explore/explore.ts')).explore,
  },
  {
    name: 'check',
    group: 'Write scenarios',
    argument: '[files..]',
    summary: 'Check scenario files and try them with the reference client',
    load: async () => (await import('../inspect/check.ts')).check,
  },
  {
    name: 'scenarios',
    group: 'Write scenarios',
    summary: 'List the scenarios that come with greenroom',
    load: async () => (await import('../run/shipped.ts')).scenarios,
  },
  {
    name: 'record',
    group: 'Write scenarios',
    summary: 'Record a real gateway as a scenario, between it and a client',
    load: async () => (await import('../inspect/record.ts')).record,
  },
  {
    name: 'explain',
    group: 'Look into a run',
    argument: '<number>',
    summary: 'Explain how a request was handled, rule by rule',
    load: async () => (await import('../inspect/explain.ts')).explain,
  },
  {
    name: 'show',
    group: 'Look into a run',
    argument: '<file>',
    summary: 'Judge a recording and show it in the browser',
    load: async () => (await import('../inspect/show.ts')).show,
  },
  {
    name: 'replay',
    group: 'Look into a run',
    argument: '<journal>',
    summary: 'Replay a recording and diff the responses',
    load: async () => (await import('../inspect/replay.ts')).replay,
  },
  {
    name: 'render',
    group: 'Make videos',
    summary: 'Render a clip to a file',
    load: async () => (await import('../project/render.ts')).render,
  },
]

/** Names that other tools have for a command, with ours. */
export const commandSynonyms: ReadonlyMap<string, string> = new Map([
  ['start', 'serve'],
  ['server', 'serve'],
  ['dev', 'serve'],
  ['test', 'run'],
  ['fuzz', 'explore'],
])

/** The name of the positional argument of a command. */
export const argumentName = ({ argument = '' }: ListedCommand): string | undefined =>
  /\w+/.exec(argument)?.[0]
