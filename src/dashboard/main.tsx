// The entry of the live page.
import { render } from 'preact'
import { drawStats } from './axis/axis.tsx'
import { range } from './axis/range.ts'
import { chosen, openPanel, view } from './data/selection.ts'
import { connection, entries, lanes, namespace, source } from './data/store.ts'
import { App } from './frame/app.tsx'
import { playOrPause, stepToNextEvent } from './frame/clock-bar.tsx'
import { dialog, openDialog, openSession } from './frame/dialogs.tsx'
import { listenForKeys } from './frame/keys.ts'
import { startTheme } from './frame/theme.ts'
import { isTokenWanted, loadDetails, mediaUrl } from './live/api.ts'
import { follow } from './live/stream.ts'

const query = new URLSearchParams(location.search)
namespace.value = query.get('namespace') ?? 'default'
Object.assign(source, { loadDetails, mediaUrl })

const root = document.getElementById('app')!
root.replaceChildren()
render(<App />, root)
startTheme()
listenForKeys(
  {
    ' ': () => void playOrPause(),
    '.': () => void stepToNextEvent(),
    '?': () => openDialog('keys'),
  },
  () => dialog.peek() !== 'none' || isTokenWanted.peek(),
)

const token = query.get('token')
if (token === null) follow()
else {
  // A token in the URL would stay in the history, and be shared with links.
  query.delete('token')
  history.replaceState(null, '', query.size > 0 ? `?${query}` : location.pathname)
  void openSession(token).then(follow)
}

// For tests in a real browser.
Object.assign(globalThis, {
  greenroomPage: { lanes, entries, range, chosen, openPanel, view, connection, drawStats },
})
