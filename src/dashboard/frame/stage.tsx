// The middle of the page: axis above journal with a splitter, and the panel next to them. The report uses it too.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { AxisBar } from '../axis/axis-bar.tsx'
import { Axis } from '../axis/axis.tsx'
import { openPanel, type Panel } from '../data/selection.ts'
import { Journal } from '../journal/journal.tsx'
import { JournalBar } from '../journal/journal-bar.tsx'
import { readSetting, writeSetting } from './theme.ts'

const minShare = 0.2
const maxShare = 0.85
/** The share of the height that the axis has. */
const axisShare = signal(Number(readSetting('axis-share')) || 0.62)

function setShare(share: number): void {
  axisShare.value = Math.min(maxShare, Math.max(minShare, share))
  writeSetting('axis-share', String(axisShare.value))
}

export function AxisAndJournal() {
  const percent = Math.round(axisShare.value * 100)
  return (
    <div class="left" style={{ '--axis-part': `${percent}fr`, '--journal-part': `${100 - percent}fr` }}>
      <AxisBar />
      <Axis />
      <Splitter />
      <JournalBar />
      <Journal />
    </div>
  )
}

/** The height of both toolbars, which the splitter doesn't divide. */
const barsHeight = 86

function Splitter() {
  return (
    <div
      class="splitter"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of axis and journal"
      aria-valuenow={Math.round(axisShare.value * 100)}
      aria-valuemin={minShare * 100}
      aria-valuemax={maxShare * 100}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowDown' ? 0.04 : event.key === 'ArrowUp' ? -0.04 : 0
        if (step === 0) return
        setShare(axisShare.value + step)
        event.preventDefault()
        event.stopPropagation()
      }}
      onPointerDown={({ currentTarget: splitter, pointerId }) => {
        const box = splitter.parentElement!.getBoundingClientRect()
        splitter.setPointerCapture(pointerId)
        splitter.onpointermove = ({ clientY }) =>
          setShare((clientY - box.top - 40) / (box.height - barsHeight))
        splitter.onpointerup = () => (splitter.onpointermove = null)
      }}
    />
  )
}

/** A tab of the dock: its panel, label, content and count. */
export interface DockTab {
  readonly panel: Panel
  readonly label: string
  readonly count?: number
  readonly content: () => ComponentChildren
}

export function Dock({ tabs }: { tabs: readonly DockTab[] }) {
  const open = tabs.find(({ panel }) => panel === openPanel.value) ?? tabs[0]!
  const moveTab = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const next = tabs[(tabs.indexOf(open) + step + tabs.length) % tabs.length]!
    openPanel.value = next.panel
    document.getElementById(`tab-${next.panel}`)?.focus()
    event.stopPropagation()
  }
  return (
    <section class="dock" aria-label="Panels">
      <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={moveTab}>
        {tabs.map(({ panel, label, count = 0 }) => (
          <button
            role="tab"
            key={panel}
            id={`tab-${panel}`}
            aria-controls="panel"
            aria-selected={open.panel === panel}
            tabIndex={open.panel === panel ? 0 : -1}
            onClick={() => (openPanel.value = panel)}
          >
            {label}
            {count > 0 && <span class={`badge ${panel}`}>{count}</span>}
          </button>
        ))}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${open.panel}`} tabIndex={0}>
        <h2 class="sr">{open.label}</h2>
        <open.content />
      </div>
    </section>
  )
}
