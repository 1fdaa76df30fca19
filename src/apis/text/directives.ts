import type { Route } from '../../gateway/route.ts'
import { textDirectives } from '../../text/magic.ts'
import type { TextSurfaceSettings } from './settings.ts'
import { troubleDirectives } from './trouble.ts'

/** The directives that routes of texts obey, where prompts may have them. */
export function obeyedDirectives({ promptDirectives }: TextSurfaceSettings): Pick<Route, 'directives'> {
  return promptDirectives ? { directives: [...textDirectives, ...troubleDirectives] } : {}
}
