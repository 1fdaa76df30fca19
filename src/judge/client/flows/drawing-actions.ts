/** A button of a result (wire §7.7), as far as a client reads it. */
export interface DrawingButton {
  readonly customId: string
  readonly emoji: string
  readonly label: string
}

/**
 * Which button is meant by an action such as `upscale 2`, `pan left` or `repaint`. What isn't known is taken for a
 * label, an emoji or a part of a button's id.
 */
export function buttonFor(action: string, buttons: readonly DrawingButton[]): DrawingButton | undefined {
  const [verb = '', ...rest] = action.trim().toLowerCase().split(/\s+/)
  const fits = meanings[verb]?.(rest.join(' '))
  return (
    (fits && buttons.find(fits)) ??
    buttons.find(({ label, emoji }) => label === action || emoji === action) ??
    buttons.find(({ customId }) => customId.includes(action))
  )
}

type Fits = (button: DrawingButton) => boolean

const labelled =
  (label: string): Fits =>
  (button) =>
    button.label.toLowerCase() === label

const named =
  (part: string): Fits =>
  ({ customId }) =>
    customId.includes(part)

const meanings: Readonly<Record<string, (what: string) => Fits>> = {
  upscale: (what) => {
    if (/^[1-4]$/.test(what)) return labelled(`u${what}`)
    // Each version of the channel calls its two upscalers otherwise; the first is the careful one.
    return what === '' ? ({ label }) => label.startsWith('Upscale (') : labelled(`upscale (${what})`)
  },
  vary: (what) =>
    /^[1-4]$/.test(what) ? labelled(`v${what}`) : labelled(`vary (${what === '' ? 'subtle' : what})`),
  repaint: () => named('::Inpaint::'),
  zoom: (what) =>
    what === 'custom' ? named('::CustomZoom::') : labelled(`zoom out ${what === '' ? 2 : what}x`),
  pan: (what) => named(`::pan_${what}::`),
  reroll: () => named('::reroll::'),
  animate: (what) => named(`::animate_${what === '' ? 'high' : what}::`),
}
