import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Where clips are kept between runs when nobody says otherwise: the user's own cache folder, since a folder in
 * the shared temporary one could have been prepared by somebody else. `XDG_CACHE_HOME` moves it on Linux.
 */
export function defaultCacheFolder(): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env
  if (process.platform === 'win32') return join(local || tmpdir(), 'greenroom', 'cache')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'greenroom')
  return join(xdg || join(homedir(), '.cache'), 'greenroom')
}
