// The theme, and other settings that the browser stores.
import { signal } from '@preact/signals'
import { readColors } from '../axis/canvas.ts'
import { announceChange } from '../data/store.ts'

/** Reads a setting. In a private window or a sandboxed report, storage may be off. Then nothing is stored. */
export function readSetting(name: string): string | null {
  try {
    return localStorage.getItem(`greenroom.${name}`)
  } catch {
    return null
  }
}

export function writeSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`greenroom.${name}`, value)
  } catch {
    // The setting is not stored.
  }
}

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const stored = readSetting('theme')
const chosenTheme = signal<'light' | 'dark' | 'system'>(
  stored === 'light' || stored === 'dark' ? stored : 'system',
)
const systemTheme = signal<'light' | 'dark'>(systemIsDark.matches ? 'dark' : 'light')

export function currentTheme(): 'light' | 'dark' {
  return chosenTheme.value === 'system' ? systemTheme.value : chosenTheme.value
}

export function switchTheme(): void {
  chosenTheme.value = currentTheme() === 'dark' ? 'light' : 'dark'
  writeSetting('theme', chosenTheme.value)
  applyTheme()
}

function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme()
  readColors()
  announceChange()
}

/** Applies the theme, and follows the system's theme. */
export function startTheme(): void {
  systemIsDark.addEventListener('change', ({ matches }) => {
    systemTheme.value = matches ? 'dark' : 'light'
    applyTheme()
  })
  applyTheme()
  // Text on a canvas is not drawn again automatically when its font arrives.
  void document.fonts.ready.then(announceChange)
}
