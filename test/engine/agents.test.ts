import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Agent, type AgentMessage, type Statement } from '../../src/engine/clock/agents/agent.ts'
import { Agents } from '../../src/engine/clock/agents/agents.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { Waiters } from '../../src/engine/clock/waiters.ts'
import { fakeHost } from '../support/fake-host.ts'
import { turns } from '../support/turns.ts'

const clear = { obstacle: () => undefined, inFlight: () => undefined }

interface TestProcess {
  readonly agent: Agent
  readonly messages: AgentMessage[]
  /** States that nothing more can happen. */
  readonly state: (more?: Partial<Statement>) => void
  readonly leave: () => void
}

function join(
  clock: Clock,
  name: string,
  surroundings: Parameters<Clock['agreement']['join']>[1] = clear,
): TestProcess {
  const messages: AgentMessage[] = []
  const identity = { pid: name.charCodeAt(0), name, thread: 0 }
  const port = { identity, send: (message: AgentMessage) => void messages.push(message), seed: '1' }
  const { agent, leave } = clock.agreement.join(port, surroundings)
  const state: TestProcess['state'] = (more) => agent.state({ seen: messages.at(-1)!.n, ...more })
  return { agent, messages, state, leave }
}

it('moves time to the timer of a process as soon as it says that nothing happens in it', async () => {
  const clock = new Clock({ mode: 'auto', start: 1_000 })
  const one = join(clock, 'one')
  expect(one.messages).toEqual([{ n: 1, now: 1_000, rate: 0, seed: '1' }])
  await turns()
  expect(clock.now()).toBe(1_000)
  one.state({ set: [[7, 5_000]] })
  await turns()
  expect(one.messages.at(-1)).toEqual({ n: 2, now: 6_000, rate: 0, fire: 7 })
})

it('counts no statement that was made before the latest message', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  one.agent.tell()
  one.agent.state({ seen: 1, set: [[1, 5_000]] })
  await turns()
  expect(clock.now()).toBe(0)
  expect(clock.status().why).toBe(
    'auto: waiting for the processes that take part: process 111 (one) is at work',
  )
  one.state()
  await turns()
  expect(clock.now()).toBe(5_000)
})

it('tells every process of a new time before anything happens at it', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const [one, two] = [join(clock, 'one'), join(clock, 'two')]
  one.state({ set: [[1, 5_000]] })
  two.state({ set: [[1, 9_000]] })
  await turns()
  // A probe of both: one may have woken the other since.
  for (const each of [one, two]) each.state()
  await turns()
  expect([one, two].map(({ messages }) => messages.at(-1))).toMatchObject([{ now: 5_000 }, { now: 5_000 }])
  expect(one.messages.some(({ fire }) => fire === 1)).toBe(false)
  one.state()
  await turns()
  expect(one.messages.some(({ fire }) => fire === 1)).toBe(false)
  two.state()
  await turns()
  expect(one.messages.at(-1)).toMatchObject({ now: 5_000, fire: 1 })
})

it.each([
  ['a process waits for a C library', { seen: 1, mark: 1, busy: ['a C library'] }, true],
  ['all processes wait for timers', { seen: 1, mark: 1, set: [[1, 5_000]] as const }, false],
  ['a process is at work', { seen: 0 }, false],
])('says whether time waits for what takes no part: %s', (_case, statement: Statement, isOutside) => {
  const clock = new Clock({ mode: 'manual', start: 0 }, fakeHost())
  const obstacle = (): { why: string } | undefined =>
    one.agent.statement?.busy ? { why: 'busy' } : undefined
  const one = join(clock, 'one', { ...clear, obstacle })
  one.agent.state({ seen: 1, set: [[9, 9_000]] })
  one.agent.state(statement)
  expect(clock.auto.agents.areOutside).toBe(isOutside)
})

it('queries each process again before it reports that nothing can wake them', async () => {
  const stuck: string[] = []
  const onStuck = ({ why }: { why: string }): void => void stuck.push(why)
  const clock = new Clock({ mode: 'auto', start: 0, onStuck }, fakeHost())
  const [parent, child] = [join(clock, 'parent'), join(clock, 'child')]
  child.state()
  parent.state({ set: [[1, 5_000]] })
  await turns()
  for (const each of [parent, child]) each.state()
  await turns()
  for (const each of [parent, child]) each.state()
  await turns()
  expect(parent.messages.at(-1)).toMatchObject({ now: 5_000, fire: 1 })
  // The parent has written into a pipe, which has woken the child.
  parent.state({ mark: 1 })
  await turns()
  expect(stuck).toEqual([])
  expect(clock.status().why).toContain('is at work')
  child.state({ mark: 1 })
  parent.state({ mark: 1 })
  await turns()
  expect(stuck).toEqual([])
  for (const each of [parent, child]) each.state({ mark: 1 })
  await turns()
  expect(stuck).toEqual([expect.stringContaining('deadlock: every process of the client waits')])
})

it('asks again if something has happened in a process since it fell silent', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const [one, two] = [join(clock, 'one'), join(clock, 'two')]
  one.state({ mark: 1, set: [[1, 5_000]] })
  two.state({ mark: 1 })
  await turns()
  one.state({ mark: 1 })
  two.state({ mark: 2 })
  await turns()
  expect(clock.now()).toBe(0)
  for (const [each, mark] of [[one, 1] as const, [two, 2] as const]) each.state({ mark })
  await turns()
  expect(clock.now()).toBe(5_000)
})

it('waits for what surrounds the processes, and says for what', async () => {
  const host = fakeHost()
  const clock = new Clock({ mode: 'auto', start: 0 }, host)
  let obstacle: string | undefined = 'bytes are on their way'
  const one = join(clock, 'one', { ...clear, inFlight: () => obstacle })
  one.state({ set: [[1, 5_000]] })
  await turns()
  expect(clock.status()).toMatchObject({
    now: 0,
    why: 'auto: waiting for the processes that take part: bytes are on their way',
    agents: ['process 111 (one)'],
    isExact: true,
  })
  obstacle = undefined
  host.pass(100)
  await turns()
  expect(clock.now()).toBe(5_000)
})

it('begins what several processes do at one instant in the order of their names, one after the other', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  one.state({ set: [[1, 60_000]] })
  const order: string[] = []
  const work = new Set<string>()
  for (const name of ['c', 'a', 'b'])
    void clock.agreement
      .takeTurn(() => name)
      .then((isOwn) => {
        expect(isOwn).toBe(true)
        order.push(name)
        work.add(name)
        one.agent.tell()
      })
  await turns()
  expect(order).toEqual(['a'])
  one.state()
  await turns()
  expect(order).toEqual(['a', 'b'])
  one.state()
  await turns()
  expect(order).toEqual(['a', 'b', 'c'])
  expect(clock.now()).toBe(0)
  one.state()
  await turns()
  expect(clock.now()).toBe(60_000)
})

it('lets a request of no process begin at once, whatever the processes do', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  join(clock, 'one')
  await expect(clock.agreement.takeTurn(() => null)).resolves.toBe(false)
})

it('moves no time before a request of no process has begun', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  one.state({ set: [[1, 60_000]] })
  const admittedAt = clock.agreement.takeTurn(() => null).then(() => clock.now())
  await expect(admittedAt).resolves.toBe(0)
  await turns()
  expect(clock.now()).toBe(60_000)
})

it('reports a deadlock when every process waits for what never comes', async () => {
  const stuck: string[] = []
  const clock = new Clock({ mode: 'auto', start: 0, onStuck: ({ why }) => stuck.push(why) }, fakeHost())
  const one = join(clock, 'one')
  void clock.wait(Infinity, undefined, { kind: 'answer', number: 3 }).catch(() => {})
  one.state({ connections: [[1, 2, 0, 0, 0, 0]] })
  await turns()
  expect(stuck).toEqual([
    'auto: deadlock: every process of the client waits, and nothing can wake it: a delayed answer (#3) forever',
  ])
  clock.close()
})

it('goes on without a process that has ended, and drops its timers', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const [one, two] = [join(clock, 'one'), join(clock, 'two')]
  one.state({ set: [[1, 5_000]] })
  two.state({ set: [[1, 9_000]] })
  one.leave()
  two.state()
  await turns()
  expect(two.messages.at(-1)).toMatchObject({ now: 9_000, fire: 1 })
})

it('tells the processes how fast time passes by itself', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  clock.setMode('scaled', 60)
  expect(one.messages.at(-1)).toMatchObject({ rate: 60 })
  clock.close()
})

/** A program: the delays of the timers that it sets, each when the one before is due. */
const program = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 })

it('fires the same timers at the same instants, in whatever order the processes speak', async () => {
  const play = async (programs: readonly number[][], orders: readonly number[]): Promise<string[]> => {
    const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
    const fired: string[] = []
    const processes = programs.map((_, index) => join(clock, `p${index}`))
    const handled = programs.map(() => 0)
    const next = programs.map(() => 0)
    let turn = 0
    for (let round = 0; round < 200; round++) {
      const waiting = processes.flatMap(({ messages }, index) =>
        handled[index]! < messages.length ? [index] : [],
      )
      if (waiting.length === 0) {
        await turns()
        if (processes.every(({ messages }, index) => handled[index] === messages.length)) break
        continue
      }
      const index = waiting[(orders[turn++ % orders.length] ?? 0) % waiting.length]!
      const { messages, state } = processes[index]!
      const unread = messages.slice(handled[index])
      handled[index] = messages.length
      const begins = unread.some(({ n, fire }) => n === 1 || fire !== undefined)
      for (const { fire, now } of unread) if (fire !== undefined) fired.push(`p${index} ${now}`)
      const delayMs = begins ? programs[index]![next[index]!++] : undefined
      state(delayMs === undefined ? {} : { set: [[next[index]!, delayMs]] })
      if (orders[turn % orders.length]! % 2 === 0) await turns()
    }
    clock.close()
    return fired
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(program, { minLength: 2, maxLength: 3 }),
      fc.array(fc.nat(10), { minLength: 3, maxLength: 20 }),
      async (programs, orders) => {
        const fired = await play(programs, orders)
        expect(fired).toEqual(await play(programs, [0]))
        expect(fired).toHaveLength(programs.flat().length)
      },
    ),
    { numRuns: 60 },
  )
})

it('says at once that a process is at work which has stated nothing yet', () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  join(clock, 'one')
  expect(clock.status()).toMatchObject({
    why: 'auto: waiting for the processes that take part: process 111 (one) is at work',
    agents: ['process 111 (one)'],
    isExact: false,
  })
})

it('takes a process for a client once it has had a timer or a connection', () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  one.state()
  expect([one.agent.isClient, clock.status().isExact, clock.status().assumesPollStep]).toEqual([
    false,
    false,
    true,
  ])
  one.state({ set: [[1, 5_000]] })
  one.state()
  expect([one.agent.isClient, clock.status().isExact, clock.status().assumesPollStep]).toEqual([
    true,
    true,
    false,
  ])
  one.leave()
  expect([clock.status().agents, clock.status().isExact]).toEqual([[], true])
  const other = join(new Clock({ mode: 'auto', start: 0 }, fakeHost()), 'other')
  other.state({ connections: [[1, 2, 0, 0, 0, 0]] })
  expect(other.agent.isClient).toBe(true)
})

it('clears the timers that a process names, and ignores those that it never set', async () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  one.state({
    set: [
      [1, 5_000],
      [2, 9_000],
    ],
    clear: [1, 99],
  })
  expect(clock.status().waiting).toEqual(['a timer of one until 00:00:09'])
  await turns()
  expect(one.messages.at(-1)).toMatchObject({ now: 9_000, fire: 2 })
  one.state({ clear: [2] })
  expect(clock.status().waiters).toBe(0)
})

it('drops the timers of a process that ends', () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  one.state({
    set: [
      [1, 5_000],
      [2, 9_000],
    ],
  })
  one.leave()
  expect(clock.status().waiters).toBe(0)
})

it('takes a blocked process for one that can do nothing more, whatever it has handled', () => {
  const clock = new Clock({ mode: 'auto', start: 0 }, fakeHost())
  const one = join(clock, 'one')
  one.agent.tell()
  one.agent.state({ seen: 1 })
  expect(one.agent.isCurrent).toBe(false)
  one.agent.state({ seen: 1, blocked: true })
  expect(one.agent.isCurrent).toBe(true)
  one.agent.state({ seen: 2, blocked: false })
  expect(one.agent.isCurrent).toBe(true)
})

const agentOf = (name: string, pid: number, thread = 0): Agent => {
  const home = {
    waiters: new Waiters(),
    mode: () => 'auto' as const,
    now: () => 0,
    rate: () => 0,
    onChange: () => {},
  }
  return new Agent({ identity: { pid, name, thread }, send: () => {}, seed: '' }, home)
}

it('sorts processes by program, then by id, then by thread', () => {
  const agents = [agentOf('b', 1), agentOf('a', 20), agentOf('a', 3, 10), agentOf('a', 3, 9), agentOf('a', 3)]
  expect(
    agents.toSorted((one, other) => (one.rank < other.rank ? -1 : 1)).map(({ identity }) => identity),
  ).toEqual([
    { name: 'a', pid: 3, thread: 0 },
    { name: 'a', pid: 3, thread: 9 },
    { name: 'a', pid: 3, thread: 10 },
    { name: 'a', pid: 20, thread: 0 },
    { name: 'b', pid: 1, thread: 0 },
  ])
})

it('lists processes and threads by name, and knows which take part', () => {
  const agents = new Agents()
  const [one, two] = [agentOf('node a.js', 20), agentOf('node a.js', 20, 3)]
  agents.add(two, clear)
  agents.add(one, clear)
  expect(agents.list()).toEqual(['process 20 (node a.js)', 'thread 3 of process 20 (node a.js)'])
  expect([agents.ids(), agents.size, agents.has(one)]).toEqual([[20, 20], 2, true])
  expect(agents.obstacle()).toBe('thread 3 of process 20 (node a.js) is at work')
  agents.remove(one)
  expect([agents.size, agents.has(one)]).toEqual([1, false])
})

it('looks at what surrounds the processes only for clients, and counts the reports on their way', () => {
  const agents = new Agents()
  const seen: number[] = []
  const surroundings = {
    obstacle: (members: ReadonlySet<Agent>) => {
      seen.push(members.size)
      return undefined
    },
    inFlight: (deliveries: number) => {
      seen.push(deliveries)
      return undefined
    },
  }
  expect(agents.obstacle()).toBeUndefined()
  const one = agentOf('one', 1)
  agents.add(one, surroundings)
  one.state({ seen: 1 })
  expect([agents.obstacle(), seen]).toEqual([undefined, []])
  one.state({ seen: 1, connections: [[1, 2, 0, 0, 0, 0]] })
  const delivered = agents.whileDelivering()
  agents.obstacle()
  delivered()
  agents.obstacle()
  expect(seen).toEqual([1, 1, 1, 0])
})

it('begins turns one by one by rank, or all of them when time passes by itself', async () => {
  const agents = new Agents()
  const begun: string[] = []
  const take = (name: string | null | undefined): void =>
    void agents.takeTurn(() => name).then((isOwn) => begun.push(`${name} ${isOwn}`))
  expect(agents.hasTurns).toBe(false)
  agents.beginTurn()
  take('b')
  take('a')
  expect([agents.hasTurns, agents.areTurnsKnown, agents.beginForeignTurns()]).toEqual([true, true, false])
  agents.beginTurn()
  await turns(1)
  expect(begun.splice(0)).toEqual(['a true'])
  take(undefined)
  take(null)
  expect([agents.areTurnsKnown, agents.beginForeignTurns()]).toEqual([false, true])
  await turns(1)
  expect(begun.splice(0)).toEqual(['null false'])
  agents.beginAllTurns()
  await turns(1)
  expect([begun, agents.hasTurns]).toEqual([['b true', 'undefined false'], false])
})
