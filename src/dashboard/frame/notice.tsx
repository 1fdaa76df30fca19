// Short notices at the bottom, and the copy button.
import { signal } from '@preact/signals'
import { Icon } from './icons.tsx'

const notice = signal<{ text: string; isError: boolean } | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows a text for some seconds. An error stays longer, and is announced as an alert. */
export function notify(text: string, { isError = false } = {}): void {
  notice.value = { text, isError }
  clearTimeout(timer)
  timer = setTimeout(() => (notice.value = null), isError ? 8_000 : 3_500)
}

export function Notice() {
  if (!notice.value) return null
  const { text, isError } = notice.value
  return (
    <div class={`toast ${isError ? 'bad' : ''}`} role={isError ? 'alert' : 'status'}>
      {text}
    </div>
  )
}

export function CopyButton({ text, label = 'Copy', name }: { text: string; label?: string; name?: string }) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      notify('Copied')
    } catch {
      notify('The browser did not allow copying. Select the text and copy it by hand.', { isError: true })
    }
  }
  return (
    <button class="tiny" aria-label={name ?? (label || 'Copy')} onClick={() => void copy()}>
      <Icon name="copy" size={14} /> {label}
    </button>
  )
}

/** Lines of a scenario file, with a copy button. */
export function YamlLines({ text }: { text: string }) {
  return (
    <div class="way-yaml">
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label="" name="Copy the YAML" />
    </div>
  )
}
