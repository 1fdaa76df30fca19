import { describe, expect, it } from 'vitest'
import type { Expect } from '../../../src/index.ts'
import type { CommandOutcome, ReportedTask } from '../../../src/judge/expectations/check.ts'
import { judge, type Run } from '../../../src/judge/judge.ts'
import { unknownWaits } from '../../../src/judge/waits.ts'
import { chat, content, poll, start, Story, submit, type Made } from '../entries.ts'
import { needs } from '../../support/needs.ts'

type RunFields = Partial<Omit<Run, 'watch'>>

/** Each result of a run as one line. An exclamation mark stands for a result that fails the run. */
function linesOf(expected: Expect, exchanges: readonly Made[] = [], more: RunFields = {}): string[] {
  const story = new Story(expected)
  for (const made of exchanges) story.add(made)
  const { results } = judge({ watch: story.watch, tasks: [], now: story.watch.lastAt ?? start, ...more })
  return results.map(({ path, title, verdict, fails, actual, requests }) => {
    const numbers = requests.map((number) => ` #${number}`).join('')
    return `${verdict}${fails ? '!' : ''} ${path}, ${title} → ${actual}${numbers}`
  })
}

const task = (id: string, more: Partial<ReportedTask> = {}): ReportedTask => ({
  id,
  operation: 'video.submit',
  kind: 'video',
  status: 'SUCCESS',
  reason: '',
  submittedAt: start,
  finishedAt: start + 40_000,
  request: { model: 'video-1' },
  timeline: [],
  ...more,
})

describe('a command', () => {
  const ended = (exit: number | null, more: Partial<CommandOutcome> = {}): RunFields => ({
    command: () => ({ exit, stdout: '', ...more }),
  })
  const ends: readonly RunFields[] = [
    ended(0),
    ended(1),
    ended(137, { signal: 'SIGKILL' }),
    ended(null),
    { command: () => undefined },
  ]

  it.each<[NonNullable<Expect['command']>, readonly string[]]>([
    [
      'passes',
      [
        'pass command, command: exits with 0 → as expected',
        'fail! command, command: exits with 0 → exited with 1. If it should report a failure, expect command: fails',
        'fail! command, command: exits with 0 → exited with 137 (SIGKILL)',
        'fail! command, command: exits with 0 → it did not end by itself',
        'not-applicable command, command: exits with 0 → no command was run',
      ],
    ],
    [
      'fails',
      [
        'fail! command, command: exits with a code other than 0 → exited with 0',
        'pass command, command: exits with a code other than 0 → as expected',
        'fail! command, command: exits with a code other than 0 → exited with 137 (SIGKILL)',
        'fail! command, command: exits with a code other than 0 → it did not end by itself',
        'not-applicable command, command: exits with a code other than 0 → no command was run',
      ],
    ],
    [
      'any',
      [
        'pass command, command: ends → as expected',
        'pass command, command: ends → as expected',
        'pass command, command: ends → as expected',
        'fail! command, command: ends → it did not end by itself',
        'not-applicable command, command: ends → no command was run',
      ],
    ],
    [
      { exit: 137 },
      [
        'fail! command.exit, command: exits with 137 → exited with 0',
        'fail! command.exit, command: exits with 137 → exited with 1',
        'pass command.exit, command: exits with 137 → as expected',
        'fail! command.exit, command: exits with 137 → it did not end by itself',
        'not-applicable command.exit, command: exits with 137 → no command was run',
      ],
    ],
    [
      { exit: 'nonzero' },
      [
        'fail! command.exit, command: exits with a code other than 0 → exited with 0',
        'pass command.exit, command: exits with a code other than 0 → as expected',
        'fail! command.exit, command: exits with a code other than 0 → exited with 137 (SIGKILL)',
        'fail! command.exit, command: exits with a code other than 0 → it did not end by itself',
        'not-applicable command.exit, command: exits with a code other than 0 → no command was run',
      ],
    ],
  ])('ends as expected, or not: %j', (command, lines) => {
    expect(ends.flatMap((end) => linesOf({ command }, [], end))).toEqual(lines)
  })

  const outputs: readonly RunFields[] = [
    ended(0, { stdout: 'a boat\na red kite\n', stderr: 'a boat\r\na red kite\r\nlast' }),
    ended(0, { stdout: 'a boat\r\nred\n\n', stderr: `${'x'.repeat(90)}` }),
    ended(0),
    ended(0, { stdout: 'end', stdoutBytes: 2_000_000, stderr: 'end', stderrBytes: 3_000_000 }),
  ]

  it.each<['stdout' | 'stderr', object, readonly string[]]>([
    [
      'stdout',
      { contains: 'kite' },
      [
        'pass command.stdout, command: standard output contains "kite" → as expected',
        'fail! command.stdout, command: standard output contains "kite" → not found; the last line is "red"',
        'fail! command.stdout, command: standard output contains "kite" → the output is empty',
        'fail! command.stdout, command: standard output contains "kite" → not found in the end of 2000000 bytes of output',
      ],
    ],
    [
      'stdout',
      { matches: '^a .* kite$' },
      [
        'pass command.stdout, command: standard output has a line that matches /^a .* kite$/ → as expected',
        'fail! command.stdout, command: standard output has a line that matches /^a .* kite$/ → not found; the last line is "red"',
        'fail! command.stdout, command: standard output has a line that matches /^a .* kite$/ → the output is empty',
        'fail! command.stdout, command: standard output has a line that matches /^a .* kite$/ → not found in the end of 2000000 bytes of output',
      ],
    ],
    [
      'stderr',
      { contains: 'boat', matches: 'kite$' },
      [
        'pass command.stderr, command: standard error contains "boat" and has a line that matches /kite$/ → as expected',
        'fail! command.stderr, command: standard error contains "boat" and has a line that matches /kite$/ → not found; the last line is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"',
        'fail! command.stderr, command: standard error contains "boat" and has a line that matches /kite$/ → the output is empty',
        'fail! command.stderr, command: standard error contains "boat" and has a line that matches /kite$/ → not found in the end of 3000000 bytes of output',
      ],
    ],
    [
      'stderr',
      { contains: 'x' },
      [
        'fail! command.stderr, command: standard error contains "x" → not found; the last line is "last"',
        'pass command.stderr, command: standard error contains "x" → as expected',
        'fail! command.stderr, command: standard error contains "x" → the output is empty',
        'fail! command.stderr, command: standard error contains "x" → not found in the end of 3000000 bytes of output',
      ],
    ],
  ])('prints to %s as expected, or not: %j', async (stream, wanted, lines) => {
    const expected = { command: { [stream]: wanted } } as Expect
    expect(outputs.flatMap((end) => linesOf(expected, [], end))).toEqual(lines)
  })

  const files: readonly RunFields[] = [
    ended(0, { file: { sha256: 'abc', text: 'a kite' } }),
    ended(0, { file: { sha256: 'def', text: 'a boat' } }),
    ended(0, { file: { sha256: 'abc' } }),
    ended(0, { file: { problem: 'it is a folder' } }),
    ended(0),
  ]

  it.each<[object, readonly string[]]>([
    [
      { path: 'a.txt' },
      [
        'pass command.file, command: writes a.txt → as expected',
        'pass command.file, command: writes a.txt → as expected',
        'pass command.file, command: writes a.txt → as expected',
        'fail! command.file, command: writes a.txt → it is a folder',
        'fail! command.file, command: writes a.txt → there is no file a.txt',
      ],
    ],
    [
      { path: 'a.txt', sha256: 'ABC' },
      [
        'pass command.file, command: writes a.txt with SHA-256 abc → as expected',
        'fail! command.file, command: writes a.txt with SHA-256 abc → its SHA-256 is def',
        'pass command.file, command: writes a.txt with SHA-256 abc → as expected',
        'fail! command.file, command: writes a.txt with SHA-256 abc → it is a folder',
        'fail! command.file, command: writes a.txt with SHA-256 abc → there is no file a.txt',
      ],
    ],
    [
      { path: 'a.txt', equals: 'a kite' },
      [
        'pass command.file, command: writes a.txt with the text "a kite" → as expected',
        'fail! command.file, command: writes a.txt with the text "a kite" → its text is "a boat"',
        'fail! command.file, command: writes a.txt with the text "a kite" → it is too long to be compared as text',
        'fail! command.file, command: writes a.txt with the text "a kite" → it is a folder',
        'fail! command.file, command: writes a.txt with the text "a kite" → there is no file a.txt',
      ],
    ],
  ])('writes a file as expected, or not: %j', (file, lines) => {
    expect(files.flatMap((end) => linesOf({ command: { file } } as Expect, [], end))).toEqual(lines)
  })
})

describe('tasks', () => {
  const tasks = [
    task('task_1'),
    task('task_2', { status: 'FAILURE', reason: `content policy ${'x'.repeat(80)}` }),
    task('task_3', { status: 'IN_PROGRESS', finishedAt: 0, request: {} }),
    task('drawing_1', { operation: 'mj.imagine', kind: 'drawing', status: 'FAILURE', reason: 'blurry' }),
    task('task_5', { status: 'queued', finishedAt: 0 }),
  ]

  it.each<[NonNullable<Expect['tasks']>[number], readonly string[]]>([
    [{ status: 'SUCCESS' }, ['pass tasks[0], tasks: at least 1 × task: SUCCESS → 1 of 5']],
    [{ count: 1 }, ['fail! tasks[0], tasks: 1 × task → expected exactly 1; there were 5']],
    [
      { status: 'SUCCESS', count: 2 },
      [
        'fail! tasks[0], tasks: 2 × task: SUCCESS → 1 of 5; others: task_2 FAILURE after 40s (content policy xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx), task_3 IN_PROGRESS, drawing_1 FAILURE after 40s (blurry)',
      ],
    ],
    [
      { kind: 'video', status: ['SUCCESS', 'FAILURE'], count: { max: 1 } },
      [
        'fail! tasks[0], tasks: at most 1 × video task: SUCCESS or FAILURE → 2 of 4; others: task_3 IN_PROGRESS, task_5 queued',
      ],
    ],
    [
      { op: ['mj.*', 'other.*'], count: { min: 1, max: 2 } },
      ['pass tasks[0], tasks: 1 to 2 × task by mj.* or other.* → 1 of 1'],
    ],
    [
      { model: 'video-*', count: { min: 2 } },
      ['pass tasks[0], tasks: at least 2 × task of video-* → 4 of 4'],
    ],
    [
      { model: 'other', each: true, status: 'SUCCESS' },
      ['not-exercised! tasks[0], tasks: each task of other: SUCCESS → there was no such task'],
    ],
    [
      { kind: 'drawing', each: true, status: 'FAILURE' },
      ['pass tasks[0], tasks: each drawing task: FAILURE → 1 of 1'],
    ],
    [
      { kind: 'video', nth: 2, reason: { contains: 'policy' }, elapsed: { max: '40s' } },
      ['pass tasks[0], tasks: video task 2: reason contains "policy", elapsed at most 40s → 1 of 1'],
    ],
    [{ kind: 'video', nth: 9 }, ['fail! tasks[0], tasks: video task 9 → expected exactly 1; there were 0']],
    [
      { kind: 'video', nth: 1, elapsed: { min: '41s' } },
      [
        'fail! tasks[0], tasks: video task 1: elapsed at least 41s → 0 of 1; others: task_1 SUCCESS after 40s',
      ],
    ],
    [
      { kind: 'video', nth: 3, elapsed: { min: '1s', max: '2s' } },
      ['fail! tasks[0], tasks: video task 3: elapsed 1s to 2s → 0 of 1; others: task_3 IN_PROGRESS'],
    ],
    [
      { kind: 'drawing', reason: { not: { glob: 'b*' } } },
      [
        'fail! tasks[0], tasks: at least 1 × drawing task: reason not glob "b*" → 0 of 1; others: drawing_1 FAILURE after 40s (blurry)',
      ],
    ],
    [
      { kind: 'drawing', reason: 'blurry' },
      ['pass tasks[0], tasks: at least 1 × drawing task: reason "blurry" → 1 of 1'],
    ],
  ])('are described as expected and as found: %j', (wanted, lines) => {
    expect(linesOf({ tasks: [wanted] }, [], { tasks })).toEqual(lines)
  })
})

describe('requests', () => {
  const exchanges: readonly Made[] = [
    submit(),
    submit({ task: 'task_2', identity: 'boat' }),
    poll('queued', { atMs: 5_000 }),
    poll(null, { status: 429, rules: ['storm'], atMs: 10_000 }),
    poll('IN_PROGRESS', { atMs: 15_000 }),
    poll('queued', { task: 'task_2', atMs: 20_000 }),
    content({ content: 'altered', fault: 'corrupt' }),
    chat({ model: 'sim-text-1', stream: { chunks: 8, ended: 'error' } }),
    chat({ stream: { chunks: 20, ended: 'finished' }, firstByteAt: start + 22_000 }),
  ]

  it.each<[NonNullable<Expect['requests']>[number], readonly string[]]>([
    [{ op: 'video.submit' }, ['pass requests[0], requests: at least 1 × video.submit → 2']],
    [{ op: 'video.submit', count: 2 }, ['pass requests[0], requests: 2 × video.submit → 2']],
    [
      { op: 'video.submit', count: { max: 1 } },
      ['fail! requests[0], requests: at most 1 × video.submit → 2 #1 #2'],
    ],
    [
      { op: 'video.poll', status: [429, '5xx'], count: { min: 2 } },
      ['fail! requests[0], requests: at least 2 × video.poll (status 429 or 5xx) → 1 of 4 #3 #5 #6'],
    ],
    [
      { op: ['video.poll', 'mj.*'], role: ['poll', 'read'], count: { min: 1, max: 2 } },
      ['fail! requests[0], requests: 1 to 2 × video.poll or mj.* as poll or read → 4 #3 #4 #5 #6'],
    ],
    [{ role: 'poll', kind: 'video', count: 4 }, ['pass requests[0], requests: 4 × poll (video) → 4']],
    [{ role: 'poll', kind: 'drawing' }, ['fail! requests[0], requests: at least 1 × poll (drawing) → 0']],
    [
      { op: 'video.poll', taskNth: 2, count: 2 },
      ['fail! requests[0], requests: 2 × video.poll of video task 2 → 1'],
    ],
    [
      { role: 'poll', taskNth: 2, kind: 'video', count: 1 },
      ['pass requests[0], requests: 1 × poll of video task 2 → 1'],
    ],
    [
      { op: 'chat.complete', model: 'sim-*', count: 2 },
      ['fail! requests[0], requests: 2 × chat.complete by sim-* → 1'],
    ],
    [
      { op: 'video.content', outcome: 'completed', content: 'altered', fault: 'corrupt' },
      [
        'pass requests[0], requests: at least 1 × video.content (completed, content altered, fault corrupt) → 1 of 1',
      ],
    ],
    [
      { op: 'video.poll', rule: 'storm' },
      ['pass requests[0], requests: at least 1 × video.poll (by rule storm) → 1 of 4'],
    ],
    [
      { op: 'chat.complete', stream: { chunks: { min: 10 }, ended: 'finished' } },
      [
        'pass requests[0], requests: at least 1 × chat.complete (at least 10 chunks, stream finished) → 1 of 2',
      ],
    ],
    [
      { op: 'chat.complete', nth: 1, stream: { chunks: 8, ended: 'finished' } },
      [
        'fail! requests[0], requests: chat.complete, request 1: 8 chunks, stream finished → status 200, completed, content complete, 8 chunks, stream error, first byte after 0ms #8',
      ],
    ],
    [
      { op: 'chat.complete', nth: 2, ttfb: { max: '2s' } },
      [
        'pass requests[0], requests: chat.complete, request 2: first byte after at most 2s → status 200, completed, content complete, 20 chunks, stream finished, first byte after 2000ms #9',
      ],
    ],
    [
      { op: 'chat.complete', nth: 1, ttfb: { min: '1s', max: '2s' } },
      [
        'fail! requests[0], requests: chat.complete, request 1: first byte after 1s to 2s → status 200, completed, content complete, 8 chunks, stream error, first byte after 0ms #8',
      ],
    ],
    [
      { op: 'chat.complete', nth: 3 },
      ['fail! requests[0], requests: chat.complete, request 3: sent → there were 2'],
    ],
    [
      { op: 'video.content', nth: 1 },
      [
        'pass requests[0], requests: video.content, request 1: sent → status 200, completed, content altered, fault corrupt, first byte after 0ms #7',
      ],
    ],
    [
      { op: 'video.poll', each: true, status: '2xx' },
      ['fail! requests[0], requests: each video.poll: status 2xx → 1 of 4 did not match #4'],
    ],
    [
      { op: 'video.submit', each: true, status: 200 },
      ['pass requests[0], requests: each video.submit: status 200 → 0 of 2 did not match'],
    ],
    [
      { op: 'mj.fetch', each: true, status: 200 },
      ['not-exercised! requests[0], requests: each mj.fetch: status 200 → there was no such request'],
    ],
    [
      { op: 'video.poll', taskNth: 1, saw: ['queued', 'IN_PROGRESS'] },
      [
        'pass requests[0], requests: at least 1 × video.poll of video task 1, which showed queued, IN_PROGRESS in this order → 3, and all states were seen',
      ],
    ],
    [
      { op: 'video.poll', saw: ['queued', 'IN_PROGRESS'] },
      [
        'fail! requests[0], requests: at least 1 × video.poll, which showed queued, IN_PROGRESS in this order → task task_2 did not show IN_PROGRESS after queued #6',
      ],
    ],
    [
      { op: 'video.poll', saw: ['IN_PROGRESS', 'SUCCESS'] },
      [
        'fail! requests[0], requests: at least 1 × video.poll, which showed IN_PROGRESS, SUCCESS in this order → task task_1 did not show SUCCESS after IN_PROGRESS #5 #6',
      ],
    ],
    [
      { op: 'chat.complete', saw: ['queued'] },
      [
        'not-exercised! requests[0], requests: at least 1 × chat.complete, which showed queued in this order → they showed no task',
      ],
    ],
    [
      { op: 'video.poll', count: 1, saw: ['queued'] },
      ['fail! requests[0], requests: 1 × video.poll → 4 #3 #4 #5 #6'],
    ],
  ])('are described as expected and as found: %j', (wanted, lines) => {
    expect(linesOf({ requests: [wanted] }, exchanges)).toEqual(lines)
  })

  it('lists at most five that were too many', () => {
    const polls = Array.from({ length: 7 }, () => poll('queued'))
    expect(linesOf({ requests: [{ op: 'video.poll', count: 1 }] }, polls)).toEqual([
      'fail! requests[0], requests: 1 × video.poll → 7 #1 #2 #3 #4 #5',
    ])
  })
})

describe('artifacts', () => {
  const tasks = [
    task('task_1'),
    task('task_2'),
    task('task_3', { status: 'FAILURE', reason: 'content policy' }),
    task('task_4', { finishedAt: 0 }),
  ]
  const downloads = [
    submit(),
    submit({ task: 'task_2' }),
    content(),
    content({ outcome: 'failed', content: 'partial', bytes: 400, task: 'task_2' }),
    content({ content: 'altered', task: 'task_2' }),
  ]

  it.each<[NonNullable<Expect['artifacts']>[number], readonly string[]]>([
    [
      { kind: 'video', downloaded: 'intact' },
      [
        'fail! artifacts[0], artifacts: each finished video task downloaded: intact → task_2 was downloaded 2 times (0 complete, 1 partial, 1 altered) and is not intact #5',
      ],
    ],
    [
      { kind: 'video', taskNth: 1, downloaded: 'intact' },
      ['pass artifacts[0], artifacts: video task 1 downloaded: intact → true of 1'],
    ],
    [
      { kind: 'video', downloaded: 'never' },
      [
        'fail! artifacts[0], artifacts: each finished video task downloaded: never → task_1 was downloaded once (1 complete, 0 partial, 0 altered) and is intact, and 1 more #3 #5',
      ],
    ],
    [
      { kind: 'video', downloaded: 'any' },
      ['pass artifacts[0], artifacts: each finished video task downloaded: any → true of 2'],
    ],
    [
      { kind: 'video', taskNth: 3, downloaded: 'any' },
      ['not-exercised! artifacts[0], artifacts: video task 3 downloaded: any → no such task succeeded'],
    ],
    [
      { kind: 'drawing', downloaded: 'any' },
      [
        'not-exercised! artifacts[0], artifacts: each finished drawing task downloaded: any → no such task succeeded',
      ],
    ],
  ])('are described as expected and as found: %j', (wanted, lines) => {
    expect(linesOf({ artifacts: [wanted] }, downloads, { tasks })).toEqual(lines)
  })

  it('names a task that was never downloaded', () => {
    const artifacts: Expect['artifacts'] = [{ kind: 'video', downloaded: 'intact' }]
    expect(linesOf({ artifacts }, [submit(), poll('SUCCESS')], { tasks: tasks.slice(0, 1) })).toEqual([
      'fail! artifacts[0], artifacts: each finished video task downloaded: intact → task_1 was never downloaded',
    ])
  })

  it('expects no download of a task that the client left before it knew of its success', () => {
    const left = [submit(), submit({ task: 'task_2' }), poll('queued', { task: 'task_2' })]
    const allow = { abandonedTasks: true }
    const intact: Expect = { artifacts: [{ kind: 'video', downloaded: 'intact' }], allow }
    expect(linesOf(intact, [...left, poll('SUCCESS'), content()], { tasks: tasks.slice(0, 2) })).toEqual([
      'pass artifacts[0], artifacts: each finished video task downloaded: intact → true of 1',
    ])
    expect(linesOf(intact, left, { tasks: tasks.slice(0, 2) })).toEqual([
      'not-exercised! artifacts[0], artifacts: each finished video task downloaded: intact → the client left task_1 before it knew that it had succeeded',
    ])
    const named: Expect = { artifacts: [{ kind: 'video', taskNth: 2, downloaded: 'intact' }], allow }
    expect(linesOf(named, left, { tasks: tasks.slice(0, 2) })).toEqual([
      'fail! artifacts[0], artifacts: video task 2 downloaded: intact → task_2 was never downloaded',
    ])
  })
})

describe('a sequence', () => {
  const exchanges = [
    submit(),
    submit({ task: 'task_2', identity: 'boat' }),
    poll('queued'),
    content({ task: 'task_2' }),
    content(),
    poll('SUCCESS'),
  ]

  it.each<[NonNullable<Expect['sequence']>, readonly string[]]>([
    [
      'submit poll content poll?',
      [
        'fail! sequence, sequence: submit poll content poll?, for each task → task task_2: #4 is video.content, expected poll #4',
      ],
    ],
    ['submit any+', ['pass sequence, sequence: submit any+, for each task → true of 2']],
    [
      [{ is: 'submit poll content', kind: 'video', taskNth: 1 }],
      [
        'fail! sequence[0], sequence: submit poll content, for each video task → task task_1: #6 is video.poll, expected the end #6',
      ],
    ],
    [
      [{ is: 'submit poll content poll poll', taskNth: 1 }],
      [
        'fail! sequence[0], sequence: submit poll content poll poll, for each task → task task_1: no further request, expected poll #6',
      ],
    ],
    [
      [
        { is: 'submit content', taskNth: 2 },
        { is: 'submit', kind: 'drawing' },
      ],
      [
        'pass sequence[0], sequence: submit content, for each task → true of 1',
        'not-exercised! sequence[1], sequence: submit, for each drawing task → there was no such task',
      ],
    ],
  ])('is described as expected and as found: %j', (sequence, lines) => {
    expect(linesOf({ sequence }, exchanges)).toEqual(lines)
  })
})

describe('webhooks', () => {
  const notified: readonly Made[] = [
    submit({ operation: 'mj.imagine', task: 'drawing_1' }),
    submit({ operation: 'mj.imagine', task: 'drawing_2', identity: 'boat' }),
  ]
  const linesAfter = (wanted: object, sent: readonly Made[]): string[] => {
    const story = new Story({ webhooks: [wanted] } as Expect)
    for (const made of notified) story.add(made)
    for (const made of sent) {
      const entry = new Story().add({ operation: null, method: 'POST', ...made })
      for (const check of story.watch.checks)
        check.notified?.({ ...entry, number: 10 + story.entries.length }, story.watch.tasks.find(entry.task))
    }
    const { results } = judge({ watch: story.watch, tasks: [], now: start })
    return results.map(
      ({ title, actual, verdict, requests }) => `${verdict} ${title} → ${actual} ${requests.join()}`,
    )
  }
  const done = { task: 'drawing_1', reportedStatus: 'SUCCESS' }

  it.each<[object, readonly Made[], readonly string[]]>([
    [{}, [done], ['pass webhooks: at least 1 × webhook → at least 1 × webhook ']],
    [{}, [], ['fail webhooks: at least 1 × webhook → never; none was sent ']],
    [
      { state: 'SUCCESS', status: 200, count: 2 },
      [done],
      [
        'fail webhooks: 2 × webhook for SUCCESS answered with 200 → once; the last of 1 was for SUCCESS, answered with 200 ',
      ],
    ],
    [
      { state: ['SUCCESS', 'FAILURE'], status: ['2xx', 404], taskNth: 1 },
      [{ ...done, status: 500 }],
      [
        'fail webhooks: at least 1 × webhook of drawing task 1 for SUCCESS or FAILURE answered with 2xx or 404 → never; the last of 1 was for SUCCESS, answered with 500 12',
      ],
    ],
    [
      { taskNth: 2 },
      [done],
      ['fail webhooks: at least 1 × webhook of drawing task 2 → never; none was sent '],
    ],
    [
      { state: 'FAILURE' },
      [{ ...done, status: 0 }],
      [
        'fail webhooks: at least 1 × webhook for FAILURE → never; the last of 1 was for SUCCESS, not delivered 12',
      ],
    ],
    [
      { status: '2xx', count: { max: 1 } },
      [done, done],
      [
        'fail webhooks: at most 1 × webhook answered with 2xx → 2 times; the last of 2 was for SUCCESS, answered with 200 ',
      ],
    ],
  ])('are described as expected and as found: %j', (wanted, sent, lines) => {
    expect(linesAfter(wanted, sent)).toEqual(lines)
  })
})

describe('rules', () => {
  const rules = [
    { id: 'storm', eligible: 5, fired: 2, optional: false },
    { id: 'drizzle', eligible: 1, fired: 1, optional: false },
    { id: 'idle', eligible: 0, fired: 0, optional: false },
    { id: 'maybe', eligible: 1, fired: 0, optional: true },
  ]

  it.each<[Expect, readonly string[]]>([
    [
      {},
      [
        'fail! rules.idle, rules: rule idle fires at least once, or is optional → never fired, eligible for 0 requests',
      ],
    ],
    [
      { rules: { storm: { fired: 2 }, drizzle: { fired: 1 }, idle: { fired: 0 } } },
      [
        'pass rules.storm, rules: rule storm fires 2 times → fired 2 times, eligible for 5 requests',
        'pass rules.drizzle, rules: rule drizzle fires once → fired once, eligible for 1 request',
        'pass rules.idle, rules: rule idle fires never → never fired, eligible for 0 requests',
      ],
    ],
    [
      { rules: { storm: { fired: { min: 1 } }, idle: { fired: { min: 1 } } } },
      [
        'pass rules.storm, rules: rule storm fires at least once → fired 2 times, eligible for 5 requests',
        'fail! rules.idle, rules: rule idle fires at least once → never fired, eligible for 0 requests',
      ],
    ],
    [
      { rules: { storm: { fired: { min: 1, max: 1 } }, ghost: { fired: 0 } }, allow: { unusedRules: true } },
      [
        'fail! rules.storm, rules: rule storm fires 1 to 1 times → fired 2 times, eligible for 5 requests',
        'fail! rules.ghost, rules: rule ghost fires never → there is no such rule',
      ],
    ],
    [
      {
        sometimes: [{ rule: 'storm' }, { rule: 'idle' }, { rule: 'storm', fired: 3 }],
        allow: { unusedRules: true },
      },
      [
        'pass sometimes[0], sometimes: in at least one run: rule storm fires at least once → fired 2 times, eligible for 5 requests',
        'not-applicable sometimes[1], sometimes: in at least one run: rule idle fires at least once → not in this run: never fired, eligible for 0 requests',
        'not-applicable sometimes[2], sometimes: in at least one run: rule storm fires 3 times → not in this run: fired 2 times, eligible for 5 requests',
      ],
    ],
  ])('are described as expected and as found: %j', (expected, lines) => {
    expect(linesOf(expected, [], { rules })).toEqual(lines)
  })
})

describe('what some run must show', () => {
  it('is not applicable to a run that does not show it', () => {
    const sometimes: Expect['sometimes'] = [
      { request: { op: 'video.poll', status: 429 } },
      { request: { op: 'video.submit' } },
      { task: { status: 'FAILURE' } },
      { task: { status: 'SUCCESS' } },
    ]
    expect(linesOf({ sometimes }, [submit(), poll('queued')], { tasks: [task('task_1')] })).toEqual([
      'not-applicable sometimes[0], sometimes: in at least one run: at least 1 × video.poll (status 429) → not in this run: 0 of 1 #2',
      'pass sometimes[1], sometimes: in at least one run: at least 1 × video.submit → 1',
      'not-applicable sometimes[2], sometimes: in at least one run: at least 1 × task: FAILURE → not in this run: 0 of 1; others: task_1 SUCCESS after 40s',
      'pass sometimes[3], sometimes: in at least one run: at least 1 × task: SUCCESS → 1 of 1',
    ])
  })
})

describe('quiet', () => {
  const minutes = (count: number): number => count * 60_000
  const exchanges = [submit(), poll('queued', { atMs: minutes(1) }), chat({ atMs: minutes(2) })]

  it.each<[NonNullable<Expect['quiet']>[number], number, readonly string[]]>([
    [
      { op: 'video.poll', after: '1m', for: '1m' },
      2,
      ['fail! quiet[0], quiet: no video.poll for 1m, from 1m after its submission → there were 1 #2'],
    ],
    [
      { op: 'video.poll', taskNth: 1, after: '90s', for: '1m' },
      3,
      ['pass quiet[0], quiet: no video.poll of video task 1 for 1m, from 90s after its submission → none'],
    ],
    [
      { op: 'video.poll', kind: 'video', after: '90s', for: '1m' },
      2,
      [
        'not-exercised! quiet[0], quiet: no video.poll (video) for 1m, from 90s after its submission → the run ended 30s too early',
      ],
    ],
    [
      { role: 'poll', taskNth: 2, after: '90s', for: '1m' },
      3,
      [
        'not-exercised! quiet[0], quiet: no poll of task 2 for 1m, from 90s after its submission → the period never began',
      ],
    ],
    [
      { op: 'chat.complete', after: '2m', for: '1m' },
      3,
      ['fail! quiet[0], quiet: no chat.complete for 1m, from 2m after the first request → there were 1 #3'],
    ],
    [
      { op: 'chat.complete', after: '0s', for: '1m' },
      1,
      ['pass quiet[0], quiet: no chat.complete for 1m, from 0s after the first request → none'],
    ],
    [
      { op: 'mj.fetch', after: '0s', for: '1m' },
      1,
      [
        'not-exercised! quiet[0], quiet: no mj.fetch for 1m, from 0s after its submission → the period never began',
      ],
    ],
  ])('is described as expected and as found: %j, after %i minutes', (wanted, endMinutes, lines) => {
    if ('role' in wanted) needs('mj.fetch')
    expect(linesOf({ quiet: [wanted] }, exchanges, { now: start + minutes(endMinutes) })).toEqual(lines)
  })
})

describe('the whole run', () => {
  const late = [submit(), poll('queued', { atMs: 30_000, takesMs: 2_000 })]

  it.each<[Expect, readonly Made[], readonly string[]]>([
    [{ within: '32s' }, late, ['pass within, within: all done within 32s → took 32s']],
    [{ within: '31s' }, late, ['fail! within, within: all done within 31s → took 32s']],
    [{ within: '31s' }, [], ['not-exercised! within, within: all done within 31s → there was no request']],
    [{ spend: { max: 0.08 } }, [submit()], ['pass spend, spend: at most $0.08 → spent $0.08']],
    [{ spend: { max: 0.07 } }, [submit()], ['fail! spend, spend: at most $0.07 → spent $0.08']],
  ])('has a duration and a cost: %j', (expected, exchanges, lines) => {
    expect(linesOf(expected, exchanges)).toEqual(lines)
  })

  it('may have requests that no operation serves, and tasks that were left', () => {
    const strays = Array.from({ length: 12 }, (_, index): Made => ({
      operation: null,
      path: `/stray/${index}`,
    }))
    expect(linesOf({}, [submit(), ...strays])).toEqual([
      'fail! allow.unmatched, unmatched requests: every request matches an operation → 12 without: #2 POST /stray/0, #3 POST /stray/1, #4 POST /stray/2, #5 POST /stray/3, #6 POST /stray/4, and 7 more #2 #3 #4 #5 #6',
    ])
    expect(linesOf({}, strays.slice(0, 1))).toEqual([
      'fail! allow.unmatched, unmatched requests: every request matches an operation → 1 without: #1 POST /stray/0 #1',
    ])
    const allow = { unmatched: true, abandonedTasks: true }
    expect(linesOf({ allow }, [submit(), ...strays])).toEqual([])
    expect(
      linesOf({ always: ['no-abandoned-task'] }, [submit(), submit({ task: 'task_2', identity: 'boat' })]),
    ).toEqual([
      'fail! always[0], always: no-abandoned-task → The client left task task_1 before it knew that the task had ended. (2 times in total) #1',
    ])
    expect(linesOf({ always: [{ name: 'no-abandoned-task' }] }, [submit()])).toEqual([
      'fail! always[0], always: no-abandoned-task → The client left task task_1 before it knew that the task had ended. #1',
    ])
  })

  it('may have rules after which waits are unknown', () => {
    const timing = 'assumed'
    const retried = [
      submit({ timing }),
      poll(null, { status: 429, retryAfterMs: 10_000, rules: ['storm'], timing, atMs: 5_000 }),
      poll('queued', { timing, atMs: 10_000 }),
      poll('SUCCESS', { timing, atMs: 40_000 }),
      content({ timing }),
    ]
    expect(linesOf({ always: ['honours-retry-after', 'one-key'] }, retried)).toEqual([
      `not-applicable always[0], always: honours-retry-after → ${unknownWaits}`,
      'pass always[1], always: one-key → held, exercised 4 times',
      `not-applicable rules.storm, rules: the client waits after rule storm as it should → not judged by backs-off, honours-retry-after: ${unknownWaits}`,
    ])
  })

  it('may have violations, exercised invariants and such that nothing exercised', () => {
    const always: Expect['always'] = [
      'one-key',
      'no-early-download',
      'auth-on-every-call',
      { name: 'no-early-download', optional: true },
    ]
    const exchanges = [submit(), poll('queued', { key: 'sk-a' }), poll('SUCCESS', { key: 'sk-b' })]
    expect(linesOf({ always }, exchanges)).toEqual([
      'fail! always[0], always: one-key → Task task_1 was submitted with sk-test, but video.poll used sk-a. (2 times in total) #1 #2',
      'not-exercised! always[1], always: no-early-download → no download was requested',
      'pass always[2], always: auth-on-every-call → held, exercised 3 times',
      'not-exercised always[3], always: no-early-download → no download was requested',
    ])
    expect(linesOf({ always, allow: { notExercised: true } }, exchanges.slice(0, 1))).toEqual([
      'not-exercised always[0], always: one-key → no request about a task followed its submission',
      'not-exercised always[1], always: no-early-download → no download was requested',
      'pass always[2], always: auth-on-every-call → held, exercised once',
      'not-exercised always[3], always: no-early-download → no download was requested',
    ])
  })
})
