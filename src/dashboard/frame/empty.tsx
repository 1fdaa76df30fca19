// The page before the first request: lines to paste, and how to read a lane.
import { signal } from '@preact/signals'
import type { Sample } from '../data/types.ts'
import { formatMany } from '../data/format.ts'
import { namespace } from '../data/store.ts'
import { chooseNamespace } from '../live/stream.ts'
import { namespaces } from './header.tsx'
import { CopyButton } from './notice.tsx'

/** What the build knows of the APIs. */
declare const apiSamples: readonly Sample[]

const url = location.origin
const fill = (line: string): string => line.replaceAll('${url}', url).replaceAll('${key}', 'sk-greenroom')
const samples: readonly Sample[] = [
  ...apiSamples
    .filter(({ client }, index) => apiSamples.findIndex((other) => other.client === client) === index)
    .map(({ client, lines }) => ({ client, lines: lines.map(fill) })),
  {
    client: 'Vitest',
    lines: [
      `import { useGreenroom } from 'greenroom/vitest'`,
      `const gateway = useGreenroom({ env: { GATEWAY_URL: '\${url}', GATEWAY_KEY: '\${key}' } })`,
    ],
  },
]
const openSample = signal('curl')

export function Empty() {
  return (
    <section class="empty" aria-label="No requests yet">
      <div class="empty-in">
        <p class="empty-wait">
          <i class="pulse" /> Listening on <span class="mono">{url}</span>
        </p>
        <h2>Waiting for your first request</h2>
        <p class="lead">Point a client here, or paste this. Each task becomes a lane on the time axis.</p>
        <OtherNamespaces />
        <Samples />
        <Legend />
        <p class="muted small">
          Trigger an outcome from the prompt: <code>[[fail: content policy]]</code> <code>[[stuck]]</code>{' '}
          <code>[[queued 10s]]</code> <code>[[render 2m]]</code>
        </p>
      </div>
    </section>
  )
}

/** Points to other namespaces, if all requests are there. */
function OtherNamespaces() {
  const others = namespaces.value.filter(({ name, requests }) => name !== namespace.value && requests > 0)
  if (others.length === 0) return null
  return (
    <ul class="elsewhere">
      {others.slice(0, 5).map(({ name, tasks, requests }) => (
        <li key={name}>
          Namespace <b>{name}</b> has {formatMany(tasks, 'task')} and {formatMany(requests, 'request')}.{' '}
          <button class="link" onClick={() => chooseNamespace(name)}>
            Look there
          </button>
        </li>
      ))}
    </ul>
  )
}

function Samples() {
  const { lines } = samples.find(({ client }) => client === openSample.value)!
  return (
    <div>
      <div class="tabs" role="tablist" aria-label="Examples" onKeyDown={moveTab}>
        {samples.map(({ client: name }) => (
          <button
            role="tab"
            key={name}
            id={`sample-${name}`}
            aria-controls="sample"
            aria-selected={openSample.value === name}
            tabIndex={openSample.value === name ? 0 : -1}
            onClick={() => (openSample.value = name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        class="paste"
        id="sample"
        role="tabpanel"
        aria-labelledby={`sample-${openSample.value}`}
        tabIndex={0}
      >
        {lines.map((line, index) => (
          <div class="paste-line" key={line}>
            <span class="muted mono">{index + 1}</span>
            <code>{line}</code>
          </div>
        ))}
        <CopyButton text={lines.join('\n')} label="Copy all" />
      </div>
    </div>
  )
}

function moveTab(event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  if (step === 0) return
  const index = samples.findIndex(({ client }) => client === openSample.value)
  openSample.value = samples.at((index + step) % samples.length)!.client
  document.getElementById(`sample-${openSample.value}`)?.focus()
  event.stopPropagation()
}

const legendLabels: readonly (readonly [number, string, string?])[] = [
  [20, 'submitted'],
  [96, 'queued'],
  [176, 'rendering'],
  [262, 'broken on purpose', 'l-purpose'],
  [405, 'now', 'l-brand'],
  [440, 'known future'],
  [534, 'done'],
  [572, 'downloaded'],
]

function Legend() {
  return (
    <figure class="legend" aria-label="How to read a lane">
      <svg
        viewBox="0 0 640 92"
        role="img"
        aria-label="A lane: queued is a thin line, rendering a bar, the end a disc; requests are marks on it"
      >
        <line class="l-wait" x1="20" x2="170" y1="34" y2="34" />
        <rect class="l-work" x="170" y="28" width="250" height="12" rx="2.5" />
        <rect class="l-future" x="420.5" y="28.5" width="129" height="11" rx="2.5" />
        <circle class="l-done" cx="550" cy="34" r="6.5" />
        <path class="l-tick" d="M547.2 34.2l2 2.1 3.7-4.5" />
        <circle class="l-req" cx="20" cy="34" r="2.5" />
        <path class="l-poll" d="M110.5 39v5M200.5 39v5M290.5 39v5M380.5 39v5" />
        <path class="l-fault" d="M290 28.5l5.5 5.5-5.5 5.5-5.5-5.5z" />
        <rect class="l-now" x="419" y="8" width="2" height="46" />
        <path class="l-down" d="M586 25.5h8l-4 5.5z" />
        <g class="l-text">
          {legendLabels.map(([x, label, name]) => (
            <text x={x} y="74" class={name} key={label}>
              {label}
            </text>
          ))}
        </g>
      </svg>
    </figure>
  )
}
