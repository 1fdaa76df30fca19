import type { KeyPlace } from '../../define/operation-schema.ts'

/**
 * The key in the form of the vendor's clients; undefined without one.
 * @assumed §5 keys in this form are undocumented; wire §9.3 has them for the listing of models.
 */
export function messagesKey(x: { readonly header: (name: string) => string }): string | undefined {
  return x.header('x-api-key').trim() || undefined
}

/** Where keys may be, besides `Authorization`. */
export const messagesKeyPlace: KeyPlace = {
  id: 'messagesKey',
  in: 'header',
  name: 'x-api-key',
  description: 'A key for messages, and for models together with the header `anthropic-version`.',
}
