import { useState } from 'react'

// Command is what somebody types into a terminal. The button only copies it.
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      <code>{text}</code>
      <Copy text={text} what={text} short />
    </div>
  )
}

// Copy copies a text. A short button says what only to those who do not see the text beside it.
export function Copy({ text, what, short = false }: { text: string; what: string; short?: boolean }) {
  const [said, setSaid] = useState('')
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed'),
    )
  }
  return (
    <button type="button" onClick={copy} aria-label={short ? `Copy: ${what}` : undefined}>
      <span aria-live="polite">{said || (short ? 'Copy' : `Copy ${what}`)}</span>
    </button>
  )
}
