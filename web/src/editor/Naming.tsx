import { useId, useState, type FormEvent } from 'react'
import { Modal } from '../parts/Modal'

const names = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/

// Naming asks for another name. What ends by that, and what stays, is said with what the draft would do.
export function Naming({ name, taken, done, close }: { name: string; taken: string[]; done: (to: string) => void; close: () => void }) {
  const id = useId()
  const [to, setTo] = useState(name)
  const possible = names.test(to) && !taken.includes(to)
  const rename = (ev: FormEvent) => {
    ev.preventDefault()
    if (!possible) return
    close()
    done(to)
  }
  const why = to === name ? 'All that names it follows.' : taken.includes(to) ? `${to} is taken.` : names.test(to) ? `All that names ${name} follows.` : 'Lower-case letters, digits and dashes, a letter first.'
  return (
    <Modal title={`Rename ${name}`} close={close}>
      <form className="fields" onSubmit={rename}>
        <input type="text" aria-label={`New name of ${name}`} aria-describedby={id} value={to} onChange={(ev) => setTo(ev.target.value)} spellCheck={false} autoComplete="off" />
        <p className="soft" id={id} role="status">{why}</p>
        <p className="adds">
          <button type="submit" className="primary" disabled={!possible}>Rename</button>
          <button type="button" onClick={close}>Cancel</button>
        </p>
      </form>
    </Modal>
  )
}
