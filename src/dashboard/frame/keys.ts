// Single-key shortcuts, which can be turned off (WCAG 2.1.4).
import { signal } from '@preact/signals'
import { followFit, followNow, isCompact, isFolding, pan, zoom } from '../axis/range.ts'
import { moveByKey } from '../axis/names.tsx'
import { proposal } from '../axis/edit.ts'
import { chosen, showPanel, type Panel } from '../data/selection.ts'
import { readSetting, switchTheme, writeSetting } from './theme.ts'

/** The panels, in the order of their tabs and of the number keys. */
export const panels: readonly (readonly [Panel, string])[] = [
  ['inspect', 'Inspect'],
  ['break', 'Break it'],
  ['rules', 'Rules'],
  ['gallery', 'Gallery'],
  ['usage', 'Usage'],
  ['verdict', 'Verdict'],
]

export const keyHelp: readonly (readonly [string, string])[] = [
  ['Space', 'play or pause'],
  ['.', 'step to the next event'],
  ['J', 'jump by a duration'],
  ['W S', 'zoom in, out'],
  ['A D', 'pan'],
  ['F', 'fit the lanes in view'],
  ['L', 'follow the present'],
  ['G', 'fold idle time'],
  ['C', 'compact rows'],
  ['↑ ↓', 'previous, next lane'],
  ['← →', 'requests of a lane'],
  ['/', 'filter the journal'],
  ['1 – 6', 'panels'],
  ['N', 'namespace'],
  ['T', 'theme'],
  ['Esc', 'close or deselect'],
  ['?', 'this list'],
]

export const areKeysOn = signal(readSetting('keys') !== 'off')

export function setKeysOn(isOn: boolean): void {
  areKeysOn.value = isOn
  writeSetting('keys', isOn ? 'on' : 'off')
}

function focus(id: string): void {
  document.getElementById(id)?.focus()
}

const axisActions: Readonly<Record<string, () => void>> = {
  w: () => zoom(1 / 1.4),
  s: () => zoom(1.4),
  a: () => pan(-0.15),
  d: () => pan(0.15),
  f: followFit,
  l: followNow,
  g: () => (isFolding.value = !isFolding.value),
  c: () => (isCompact.value = !isCompact.value),
  t: switchTheme,
  j: () => focus('jump'),
  n: () => focus('namespace'),
  '/': () => focus('journal-find'),
}

/** Listens for keys. The report has fewer actions than the live page. */
export function listenForKeys(
  actions: Readonly<Record<string, () => void>>,
  isDialogOpen: () => boolean,
  tabs: readonly Panel[] = panels.map(([panel]) => panel),
): void {
  const all: Record<string, () => void> = { ...axisActions, ...actions }
  for (const [index, panel] of tabs.entries()) all[String(index + 1)] = () => showPanel(panel)
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement
    const isField = /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
    if (event.ctrlKey || event.metaKey || event.altKey || isDialogOpen()) return
    if (event.key === 'Escape') return deselect(isField ? target : undefined)
    if (isField || (event.key === ' ' && /^(?:BUTTON|SUMMARY|VIDEO)$/.test(target.tagName))) return
    if (!areKeysOn.peek() && event.key !== '?') return
    const action = all[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (action) action()
    else if (!moveByKey(event.key)) return
    event.preventDefault()
  })
}

function deselect(field: HTMLElement | undefined): void {
  if (field) return field.blur()
  if (proposal.peek()) proposal.value = null
  else chosen.value = {}
}
