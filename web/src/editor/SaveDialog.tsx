import { Link } from '@tanstack/react-router'
import { useId, useState, type FormEvent } from 'react'
import type { Edit, Preview, Saved } from '../answers/source'
import { post, Refusal } from '../ask/request'
import { useMeta } from '../ask/meta'
import { Failure } from '../parts/Answer'
import { Command, Copy } from '../parts/Command'
import { Modal } from '../parts/Modal'
import { Commit } from '../parts/Place'
import { nameOf, said, type Draft } from './draft'
import { validMerge } from './signed'

const slugs = /^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?(\/[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?)?$/

// SaveDialog saves a draft as a commit on a branch of its own, and says how to share it. Where the draft is refused, what the page says of it is out of date.
export function SaveDialog({ draft, edits, close, done, outdated }: { draft: Draft; edits: Edit[]; close: () => void; done: () => void; outdated: () => void }) {
  const id = useId()
  const [name, setName] = useState(() => nameOf(draft))
  const [message, setMessage] = useState(() => said(draft))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const [saved, setSaved] = useState<Saved>()
  const [written, setWritten] = useState<string[]>()
  const fail = (e: Error) => {
    setError(e)
    if (e instanceof Refusal && e.status === 422) outdated()
  }
  const write = () => {
    setBusy(true)
    setError(undefined)
    post<{ written: string[] }>('branches', { base: draft.base, edits, into: 'files' })
      .then((w) => setWritten(w.written), fail)
      .finally(() => setBusy(false))
  }
  const possible = slugs.test(name) && message.trim() !== '' && !busy
  const save = (ev: FormEvent) => {
    ev.preventDefault()
    if (!possible) return
    setBusy(true)
    setError(undefined)
    post<Saved>('branches', { base: draft.base, edits, name, message })
      .then(setSaved, fail)
      .finally(() => setBusy(false))
  }
  const { data: meta } = useMeta()
  const proposes = meta?.saves === 'propose'
  const leave = () => (written || (saved && !saved.refused) ? done() : close())
  const refused = error instanceof Refusal && error.status === 422 ? (error.body as Preview | undefined) : undefined
  return (
    <Modal title={written ? 'Written' : saved ? (saved.refused ? 'Saved, and not pushed' : 'Saved') : 'Save as a branch'} close={leave}>
      {written ? (
        <>
          <p role="status">The work tree has the change, and no commit has it: {written.join(', ')}. The editor goes on from the last commit.</p>
          <p className="adds"><button type="button" className="primary" onClick={leave}>Close</button></p>
        </>
      ) : saved ? (
        <>
          <p role="status">
            The change is commit <Commit hash={saved.commit} /> on branch <strong>{saved.branch}</strong> of {proposes ? 'the origin' : saved.pushed ? 'this clone and of its origin' : 'this clone'}. Nothing else changed.
          </p>
          {saved.refused && (
            <div className="failure" role="alert">
              <strong>The origin did not take it:</strong> {saved.refused}. The draft stays here until you throw it away.
            </div>
          )}
          {saved.push !== '' && (
            <>
              <p>Share it:</p>
              <Command text={saved.push} />
            </>
          )}
          <Merge of={saved} />
          {!proposes && <p><Link to="/plan" search={{ head: saved.branch }} onClick={done}>What its merge would do</Link></p>}
          <p className="adds"><button type="button" className="primary" onClick={leave}>Close</button></p>
        </>
      ) : (
        <form className="fields" onSubmit={save}>
          <div className="field">
            <label htmlFor={`${id}-name`}>Branch</label>
            <div className="value"><span aria-hidden="true">ui/</span><input id={`${id}-name`} type="text" value={name} onChange={(ev) => setName(ev.target.value)} spellCheck={false} autoComplete="off" aria-describedby={`${id}-about`} /></div>
            <p className="about soft" id={`${id}-about`}>{slugs.test(name) ? `${proposes ? 'below your name at the origin' : `refs/heads/ui/${name} in this clone${meta?.saves === 'push' ? ' and at its origin' : ''}`}; one that is there already stays, and this gets a number` : 'lower-case letters, digits and dashes'}</p>
          </div>
          <div className="field">
            <label htmlFor={`${id}-message`}>Message</label>
            <div className="value"><textarea id={`${id}-message`} rows={3} value={message} onChange={(ev) => setMessage(ev.target.value)} /></div>
          </div>
          {refused ? (
            <div className="failure" role="alert">
              <strong>It was not saved:</strong>{' '}
              {refused.conflicts?.length > 0 ? 'others changed the same meanwhile.' : (refused.problems ?? []).map((p) => `${p.code} ${p.message}`).join('; ')}
            </div>
          ) : (
            error && <Failure error={error} />
          )}
          <p className="adds">
            <button type="submit" className="primary" disabled={!possible}>{busy ? 'Saving …' : 'Save'}</button>
            {!proposes && <button type="button" disabled={busy} onClick={write}>Write into the work tree instead</button>}
            <button type="button" onClick={leave}>Cancel</button>
          </p>
        </form>
      )}
    </Modal>
  )
}

// Merge says how a saved branch comes into force: where a pull request is opened, with which text, and whose merge is valid.
function Merge({ of: s }: { of: Saved }) {
  return (
    <>
      <p>
        {s.propose ? <a href={s.propose} target="_blank" rel="noreferrer">Open a pull request</a> : 'Then open a pull request.'}{' '}
        {s.text && <Copy text={s.text} what="its text" />}
      </p>
      {(s.approvals ?? []).filter((a) => a.people > 0).map((a) => <p key={a.area}>{validMerge(a)}</p>)}
    </>
  )
}
