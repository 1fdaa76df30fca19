// The clock bar: play, pause, step to the next event, jump, and change the mode.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatDuration, formatInstant } from '../data/format.ts'
import { applyBatch, changed, clock, connection, isMoving, nextEvent, now, origin } from '../data/store.ts'
import type { ClockStatus } from '../data/types.ts'
import { call } from '../live/api.ts'
import { Icon } from './icons.tsx'
import { notify } from './notice.tsx'

const holdName = 'dashboard'
const isBusy = signal(false)
const jumpBy = signal('30s')
/** The mode to which a paused clock returns. */
let modeBeforePause: { mode: string; rate?: number } = { mode: 'real' }

function ownHold(): ClockStatus['holds'][number] | undefined {
  return clock.value?.holds.find(({ name }) => name === holdName)
}

/** Changes the mode, and shows it before the stream confirms it. */
async function putClock(mode: { mode: string; rate?: number }): Promise<void> {
  const status = await call<ClockStatus>('PUT', '/clock', mode)
  if (status) applyBatch({ clock: status })
}

/** Pauses time or resumes it, after the previous change: a second press undoes the first, however fast it comes. */
export function playOrPause(): Promise<void> {
  lastChange = lastChange.then(toggle)
  return lastChange
}

let lastChange = Promise.resolve()

/** Pauses or resumes. A clock in mode `auto` is held. */
async function toggle(): Promise<void> {
  const { mode, rate } = clock.peek() ?? {}
  if (mode === undefined || connection.peek() === 'lost') return
  if (mode === 'auto') {
    const hold = ownHold()
    if (hold) await call('DELETE', `/clock/hold/${hold.id}`)
    else await call('POST', '/clock/hold', { as: holdName, for: '10m' })
    return void (await readClock())
  }
  if (isMoving.peek()) {
    modeBeforePause = { mode, ...(mode === 'scaled' && rate !== undefined && { rate }) }
    await putClock({ mode: 'manual' })
  } else await putClock(modeBeforePause)
}

/** Reads the clock now, without waiting for the stream. @returns whether that worked. */
async function readClock(): Promise<boolean> {
  const status = await call<ClockStatus>('GET', '/clock')
  if (status) applyBatch({ clock: status })
  return status !== undefined
}

/** Advances time to the next known event, and pauses there. */
export function stepToNextEvent(): Promise<void> {
  lastChange = lastChange.then(step)
  return lastChange
}

async function step(): Promise<void> {
  if (isMoving.peek()) await toggle()
  if (!(await readClock())) return
  const next = nextEvent()
  if (!next) return notify('No event is known: no task is open, and no client is waiting.')
  await advance({ to: next.at }, `Moved to ${next.label}`)
}

/** Moves time. */
export async function advance(target: { by: string } | { to: number }, label: string): Promise<void> {
  isBusy.value = true
  const result = await call<{ wokenCount?: number }>('POST', '/clock/advance', target)
  isBusy.value = false
  if (result) notify(result.wokenCount ? `${label}; ${result.wokenCount} woken` : label)
}

function setMode(mode: string, rate = clock.peek()?.rate || 20): void {
  void putClock(mode === 'scaled' ? { mode, rate } : { mode })
}

/** Writes directly to the page, because rendering sixty times a second would be too slow. */
function Now() {
  const instant = useRef<HTMLSpanElement>(null)
  const date = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    let frame = 0
    const draw = (): void => {
      frame = requestAnimationFrame(draw)
      if (!clock.peek() || !instant.current || !date.current) return
      const at = now()
      setText(instant.current, formatInstant(at - origin.at))
      setText(date.current, new Date(at).toISOString().replace('T', ' ').slice(0, 19))
    }
    draw()
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div class="now" aria-label="Virtual time since the start" role="timer">
      <span class="now-big" ref={instant}>
        00:00.0
      </span>
      <span class="now-small" ref={date} />
    </div>
  )
}

function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

export function ClockBar() {
  const status = clock.value
  void changed.value
  const isPlaying = isMoving.value || (status?.mode === 'auto' && !ownHold())
  return (
    <section class={`clock ${status?.stuck ? 'is-stuck' : ''}`} aria-label="Clock">
      <div class="transport">
        <button
          class={`round ${isPlaying ? '' : 'primary'}`}
          aria-label={isPlaying ? 'Pause time' : 'Let time pass'}
          title={`${isPlaying ? 'Pause' : 'Play'} (Space)`}
          onClick={() => void playOrPause()}
          disabled={!status}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </button>
        <button
          class="round"
          aria-label="Step to the next event"
          title="To the next event (.)"
          onClick={() => void stepToNextEvent()}
          disabled={!status || isBusy.value}
        >
          <Icon name="step" />
        </button>
      </div>
      <Now />
      <NextEvent />
      <span class="gap" />
      <Jump />
      <Mode status={status} />
      {status && (status.stuck || status.mode === 'auto') && (
        <p class="why">
          {status.stuck && <Icon name="warn" />}
          {status.why}
        </p>
      )}
    </section>
  )
}

function NextEvent() {
  const next = clock.value ? nextEvent() : undefined
  return (
    <div class="next" aria-live="off">
      <span class="cap">Next event</span>
      <span class="next-what">
        {next ? (
          <>
            <b class="mono">in {formatDuration(next.at - now())}</b>{' '}
            <span class="next-name">{next.label}</span>
          </>
        ) : (
          <span class="muted">none is known</span>
        )}
      </span>
    </div>
  )
}

function Jump() {
  const jump = (by: string): void => void advance({ by }, `Moved by ${by}`)
  return (
    <form
      class="jump"
      onSubmit={(event) => {
        event.preventDefault()
        jump(jumpBy.value)
      }}
    >
      <span class="cap" id="jump-label">
        Jump by
      </span>
      <span class="joined" role="group" aria-labelledby="jump-label">
        {['10s', '1m', '5m'].map((by) => (
          <button type="button" key={by} onClick={() => jump(by)} disabled={isBusy.value}>
            {by}
          </button>
        ))}
        <input
          id="jump"
          aria-label="Duration to jump by, such as 30s"
          value={jumpBy.value}
          onInput={({ currentTarget }) => (jumpBy.value = currentTarget.value)}
          spellcheck={false}
        />
        <button type="submit" class="go" disabled={isBusy.value}>
          Go
        </button>
      </span>
    </form>
  )
}

const rates = [1, 5, 20, 60, 600]
const modes = ['real', 'scaled', 'manual', 'auto'] as const

function Mode({ status }: { status: ClockStatus | null }) {
  return (
    <div class="mode">
      <span class="cap" id="mode-label">
        Clock
      </span>
      <span class="joined" role="group" aria-labelledby="mode-label">
        {/* Replaces the buttons on a narrow screen. */}
        <select
          class="mode-list"
          aria-label="Mode of the clock"
          value={status?.mode}
          onChange={({ currentTarget }) => setMode(currentTarget.value)}
        >
          {modes.map((mode) => (
            <option key={mode}>{mode}</option>
          ))}
        </select>
        {modes.map((mode) => (
          <button key={mode} aria-pressed={status?.mode === mode} onClick={() => setMode(mode)}>
            {mode}
          </button>
        ))}
        {status?.mode === 'scaled' && (
          <select
            aria-label="Virtual seconds per real second"
            value={String(status.rate)}
            onChange={({ currentTarget }) => setMode('scaled', Number(currentTarget.value))}
          >
            {[...new Set([...rates, status.rate])]
              .sort((one, other) => one - other)
              .map((rate) => (
                <option value={String(rate)} key={rate}>
                  ×{rate}
                </option>
              ))}
          </select>
        )}
      </span>
    </div>
  )
}
