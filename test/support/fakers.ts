import { LegacyFakeTimers, ModernFakeTimers } from '@jest/fake-timers'
import { install } from '@sinonjs/fake-timers'
import { vi } from 'vitest'

/** Installed fake timers. */
export interface Faked {
  /** Advances them. */
  readonly turn: (milliseconds: number) => Promise<unknown>
  readonly restore: () => void
}

/** How a client of a gateway in mode `host` behaves with fake timers. */
export interface Faker {
  /** The code in the docs. */
  readonly name: string
  readonly fake: () => Faked
  /**
   * `turned`: everything waits for the fakes. `itself`: the fakes move by themselves. `date`: only the Date is moved, and
   * sleeps are real. `refused`: what has to wait is refused, since timers and Date drift apart.
   */
  readonly kind: 'turned' | 'itself' | 'date' | 'refused'
}

/** Needed by Node's fetch and streams: Vitest fakes it only if it is listed. */
const nodesOwn = ['nextTick', 'queueMicrotask'] satisfies string[] as ('nextTick' | 'queueMicrotask')[]

const viTurns = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds)
const viRestores = (): void => void vi.useRealTimers()

function withVitest(options?: Parameters<typeof vi.useFakeTimers>[0]): Faked {
  vi.useFakeTimers(options)
  return { turn: viTurns, restore: viRestores }
}

function withSinon(options?: Parameters<typeof install>[0]): Faked {
  const clock = install({ toNotFake: nodesOwn, ...options })
  return { turn: (milliseconds) => clock.tickAsync(milliseconds), restore: () => clock.uninstall() }
}

/** Installs the fake timers of Jest in the process itself. */
function withJest(options: object = {}): Faked {
  const config = { fakeTimers: {} } as never
  const timers = new ModernFakeTimers({ config, global: globalThis })
  // In Jest's environment `process` is a copy, and Node uses the real one.
  timers.useFakeTimers({ doNotFake: nodesOwn, ...options })
  return {
    turn: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
    restore: () => timers.useRealTimers(),
  }
}

function withOldJest(): Faked {
  const moduleMocker = { fn: (implementation: () => unknown) => mockFunction(implementation) } as never
  // Created like in Jest's environment for Node.
  const timerConfig = {
    idToRef: (id: number) => ({ id, ref: () => {}, unref: () => {} }),
    refToId: (timer: { id: number } | undefined) => timer?.id,
  }
  const config = { rootDir: '/', testMatch: [] } as never
  const timers = new LegacyFakeTimers({ config, global: globalThis, moduleMocker, timerConfig })
  timers.useFakeTimers()
  return {
    turn: async (milliseconds) => timers.advanceTimersByTime(milliseconds),
    restore: () => timers.useRealTimers(),
  }
}

/** What Jest's mocker makes of a function, as far as it shows. */
function mockFunction(implementation?: (...given: unknown[]) => unknown): object {
  let now = implementation
  const mock = (...given: unknown[]): unknown => now?.(...given)
  const mockImplementation = (other: typeof implementation): object => {
    now = other
    return mock
  }
  return Object.assign(mock, { _isMockFunction: true, mockImplementation })
}

export const fakers: readonly Faker[] = [
  { name: 'vi.useFakeTimers()', fake: () => withVitest(), kind: 'turned' },
  {
    name: "vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })",
    fake: () => withVitest({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }),
    kind: 'turned',
  },
  {
    name: 'vi.useFakeTimers({ shouldAdvanceTime: true })',
    fake: () => withVitest({ shouldAdvanceTime: true }),
    kind: 'turned',
  },
  {
    name: "vi.setTimerTickMode('nextTimerAsync')",
    fake: () => {
      const { restore } = withVitest()
      vi.setTimerTickMode('nextTimerAsync')
      return { turn: async () => {}, restore }
    },
    kind: 'itself',
  },
  {
    name: "vi.useFakeTimers({ toFake: ['Date'] })",
    fake: () => withVitest({ toFake: ['Date'] }),
    kind: 'date',
  },
  {
    name: "vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })",
    fake: () => withVitest({ toFake: ['setTimeout', 'clearTimeout'] }),
    kind: 'refused',
  },
  { name: 'jest.useFakeTimers()', fake: () => withJest(), kind: 'turned' },
  {
    name: 'jest.useFakeTimers({ advanceTimers: true })',
    fake: () => withJest({ advanceTimers: true }),
    kind: 'turned',
  },
  { name: 'jest.useFakeTimers({ legacyFakeTimers: true })', fake: withOldJest, kind: 'refused' },
  {
    name: "sinon's useFakeTimers({ toNotFake: ['nextTick', 'queueMicrotask'] })",
    fake: () => withSinon(),
    kind: 'turned',
  },
  {
    name: "sinon's, with shouldAdvanceTime: true",
    fake: () => withSinon({ shouldAdvanceTime: true }),
    kind: 'turned',
  },
]
