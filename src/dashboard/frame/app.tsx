// The live page.
import { view } from '../data/selection.ts'
import { changed, connection, entries, isLoaded, lanes, namespace, rules, verdict } from '../data/store.ts'
import { BreakIt } from '../panels/break-it.tsx'
import { Gallery } from '../panels/gallery.tsx'
import { Inspect } from '../panels/inspect.tsx'
import { Rules } from '../panels/rules.tsx'
import { Usage } from '../panels/usage.tsx'
import { Verdict } from '../panels/verdict.tsx'
import { ClockBar } from './clock-bar.tsx'
import { Dialog } from './dialogs.tsx'
import { Empty } from './empty.tsx'
import { Footer, Views } from './footer.tsx'
import { Header } from './header.tsx'
import { Icon } from './icons.tsx'
import { panels } from './keys.ts'
import { Notice } from './notice.tsx'
import { AxisAndJournal, Dock, type DockTab } from './stage.tsx'

const contents: Readonly<Record<string, DockTab['content']>> = {
  inspect: Inspect,
  break: BreakIt,
  rules: Rules,
  gallery: Gallery,
  usage: Usage,
  verdict: Verdict,
}

export function App() {
  const isEmpty = isLoaded.value && changed.value >= 0 && lanes.length === 0 && entries.length === 0
  const panelCounts: Readonly<Record<string, number>> = {
    rules: rules.value.length,
    verdict: verdict.value.filter((result) => result.verdict === 'fail').length,
  }
  const tabs = panels.map(([panel, label]): DockTab => {
    return { panel, label, count: panelCounts[panel] ?? 0, content: contents[panel]! }
  })
  return (
    <div class={`app view-${view.value} ${isEmpty ? 'is-empty' : ''}`}>
      <nav aria-label="Skip">
        <a class="skip" href="#panel">
          Skip to the panel
        </a>
      </nav>
      <Header />
      <ClockBar />
      {connection.value === 'lost' && (
        <div class="banner" role="alert">
          <Icon name="warn" /> The server does not respond. You see its last known state; the page reconnects
          by itself.
        </div>
      )}
      <main class="stage">
        <h1 class="sr">Namespace {namespace.value}</h1>
        {isEmpty ? <Empty /> : <AxisAndJournal />}
        <Dock tabs={tabs} />
      </main>
      <Views />
      <Footer />
      <Notice />
      <Dialog />
    </div>
  )
}
