// The dialogs: keys, saving a scenario, and the token.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isTokenWanted, presentToken } from '../live/api.ts'
import { connect } from '../live/stream.ts'
import { Icon } from './icons.tsx'
import { areKeysOn, keyHelp, setKeysOn } from './keys.ts'
import { SaveScenario } from '../panels/save-scenario.tsx'

export type DialogName = 'none' | 'keys' | 'save' | 'token'
export const dialog = signal<DialogName>('none')

export function openDialog(name: DialogName): void {
  dialog.value = name
}

export function Dialog() {
  const element = useRef<HTMLDialogElement>(null)
  const open = isTokenWanted.value ? 'token' : dialog.value
  useEffect(() => {
    const { current } = element
    if (!current) return
    if (open === 'none') current.close()
    else if (!current.open) current.showModal()
  }, [open])
  const close = (): void => {
    dialog.value = 'none'
  }
  return (
    <dialog
      ref={element}
      onClose={close}
      onCancel={(event) => open === 'token' && event.preventDefault()}
      onClick={(event) => event.target === element.current && close()}
      aria-labelledby="dialog-title"
    >
      {/* First, so that it has the focus, and a long dialog begins at its top. */}
      {open !== 'token' && (
        <button class="quiet icon-only dialog-close" aria-label="Close" onClick={close}>
          <Icon name="cross" />
        </button>
      )}
      {open === 'keys' && <Keys />}
      {open === 'save' && <SaveScenario />}
      {open === 'token' && <Token />}
    </dialog>
  )
}

function Keys() {
  return (
    <>
      <h2 id="dialog-title">Keys</h2>
      <dl class="keys">
        {keyHelp.map(([keys, does]) => (
          <>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={({ currentTarget }) => setKeysOn(currentTarget.checked)}
        />{' '}
        Use single keys
      </label>
    </>
  )
}

const tokenError = signal('')

function Token() {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void openSession(String(new FormData(event.currentTarget).get('token')))
      }}
    >
      <h2 id="dialog-title">This server needs a token</h2>
      <p class="muted">
        Enter the control token that it was started with: <code>GREENROOM_CONTROL_TOKEN</code> or{' '}
        <code>controlToken</code> in its config.
      </p>
      <p class="token">
        <input name="token" type="password" aria-label="Control token" autocomplete="off" required />
        <button class="primary">Open</button>
      </p>
      <p class="checked bad" role="alert">
        {tokenError.value}
      </p>
    </form>
  )
}

/** Exchanges a token for a cookie, which images and videos also send. */
export async function openSession(token: string): Promise<void> {
  try {
    await presentToken(token)
    tokenError.value = ''
    isTokenWanted.value = false
    connect()
  } catch (error) {
    tokenError.value = error instanceof Error ? error.message : String(error)
    isTokenWanted.value = true
  }
}
