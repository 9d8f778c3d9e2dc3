import { useState } from 'react'

// Command is what somebody types into a terminal. The button only copies it.
export function Command({ text }: { text: string }) {
  const [said, setSaid] = useState('Copy')
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed'),
    )
  }
  return (
    <div className="command">
      <code>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy: ${text}`}>
        <span aria-live="polite">{said}</span>
      </button>
    </div>
  )
}
