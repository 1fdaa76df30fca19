/** A queue of strings with an async `next`. */
export function queue(): { add: (text: string) => void; next: () => Promise<string> } {
  const texts: string[] = []
  let arrived = (): void => {}
  return {
    add: (text) => {
      texts.push(text)
      arrived()
    },
    next: async () => {
      while (texts.length === 0) await new Promise<void>((resolve) => (arrived = resolve))
      return texts.shift()!
    },
  }
}
