// The parts of the frame that the live page and the report share.
import { formatCount, formatMany } from '../data/format.ts'
import { showPanel, view } from '../data/selection.ts'
import { clock, countOpen, counts, entries, hello, lanes, settled, verdict } from '../data/store.ts'
import { Icon } from './icons.tsx'
import { currentTheme, switchTheme } from './theme.ts'

export function VerdictChip() {
  const results = verdict.value
  if (results.length === 0) return null
  const countOf = (judgement: string): number =>
    results.filter((result) => result.verdict === judgement).length
  const failed = countOf('fail')
  return (
    <button
      class={`verdict-chip ${failed > 0 ? 'bad' : ''}`}
      onClick={() => showPanel('verdict')}
      title="Rules that a good client never breaks"
    >
      <span class="cells" aria-hidden="true">
        {results.map((result) => (
          <i class={result.verdict} key={result.name} />
        ))}
      </span>
      {failed > 0 ? `${failed} violated` : `${countOf('pass')} passed`}
    </button>
  )
}

export function ThemeButton() {
  const isDark = currentTheme() === 'dark'
  return (
    <button
      class="quiet icon-only"
      aria-label={isDark ? 'Light theme' : 'Dark theme'}
      title="Theme (T)"
      onClick={switchTheme}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  )
}

/** On a narrow screen, switches between the parts. */
export function Views() {
  return (
    <nav class="narrow" aria-label="Views">
      {(
        [
          ['axis', 'Axis'],
          ['journal', 'Journal'],
          ['panel', 'Panels'],
        ] as const
      ).map(([name, label]) => (
        <button key={name} aria-pressed={view.value === name} onClick={() => (view.value = name)}>
          {label}
        </button>
      ))}
    </nav>
  )
}

export function Footer() {
  void settled.value
  return (
    <footer class="foot">
      <span>
        {hello.value ? (
          <>
            greenroom {hello.value.version}
            {hello.value.seed && (
              <>
                {' '}
                · seed <b class="mono">{hello.value.seed}</b>
              </>
            )}
          </>
        ) : (
          'greenroom'
        )}
      </span>
      <span class="mono">
        {formatMany(lanes.length, 'lane')} · {formatCount(countOpen())} open
      </span>
      <span class="mono">
        {formatMany(entries.length, 'request')} · {formatCount(counts.faults)} broken on purpose ·{' '}
        {formatCount(counts.refused)} refused
      </span>
      <span class="gap" />
      <span class="foot-why">{clock.value?.why}</span>
    </footer>
  )
}
