import { lazy, Suspense, useState } from 'react'
import type { Preview, Source } from '../answers/source'
import { Panel } from '../parts/Panel'
import { rewrite } from './actions'
import { rewritten } from './draft'
import { useEditing } from './editing'
import { below } from './layer'

const TextEditor = lazy(() => import('./TextEditor'))

export interface At {
  file: string
  line: number
}

// TextPane shows the files of a draft as text, and edits them. Files with values of secrets never come here.
export function TextPane({ at, source, preview, fresh, open, close }: { at: At; source: Source | undefined; preview: Preview | undefined; fresh: boolean; open: (at: At) => void; close: () => void }) {
  const e = useEditing()
  const [began] = useState(() => new Map<string, string>())
  const files = [...(source?.files ?? []).map((f) => f.path), ...(preview?.files ?? []).filter((f) => f.created).map((f) => f.path)]
  const changed = preview?.files.find((f) => f.path === at.file)
  const typed = e.draft.done.flatMap((s) => s.edits).findLast((x) => x.op === 'text' && x.path[0] === at.file)?.value
  const text = typeof typed === 'string' ? typed : e.draft.done.length > 0 && changed ? changed.text : source?.files.find((f) => f.path === at.file)?.text
  const base = source?.files.find((f) => f.path === at.file)?.text ?? ''
  const ready = typeof typed === 'string' || e.draft.done.length === 0 || fresh // else the text is not yet that of the draft
  if (ready && typeof text === 'string' && !began.has(at.file)) began.set(at.file, text)
  return (
    <Panel
      title="As text"
      note={at.file}
      aside={<span className="aside moves">{!rewritten(e.draft) && <button type="button" onClick={close}>Back to the forms</button>}</span>}
    >
      {files.length > 1 && (
        <p className="adds">
          {files.map((f) => <button key={f} type="button" aria-pressed={f === at.file} onClick={() => open({ file: f, line: 1 })}>{below(f, e.draft.dir)}</button>)}
        </p>
      )}
      {text === null || text === undefined ? (
        ready && <p className="empty">This file is not shown: values of secrets are in it, or may be, or it is large. Open it in an editor of your clone.</p>
      ) : !ready ? (
        <p className="loading" role="status">Waiting for what the draft makes of it …</p>
      ) : (
        <Suspense fallback={<p className="loading" role="status">Opening the text …</p>}>
          <TextEditor key={at.file} text={text} base={base} line={at.line} name={at.file} put={(now) => e.change(now === began.get(at.file) && !rewritten(e.draft) ? { what: '', edits: [] } : rewrite(e, at.file, now))} />
        </Suspense>
      )}
      {rewritten(e.draft) && <p className="soft">The forms rest as long as the draft has text: undo it, or save the draft, to go on with them.</p>}
    </Panel>
  )
}
