import { useSearch } from '@tanstack/react-router'
import type { Live } from '../answers/live'
import { Answer } from '../parts/Answer'
import { Panel } from '../parts/Panel'
import { Sign } from '../parts/Sign'
import { useAt } from '../shell/at'
import { Events } from './Events'
import { Fields } from './Fields'
import { LogViewer } from './LogViewer'
import type { LogSearch } from './search'
import { Tree } from './Tree'
import { byComponent, treeOf } from './branches'
import { useLive } from './useLive'
import './live.css'

// LiveTab shows what the cluster has of an application now: objects, what they say, and where they differ from what is wanted.
export function LiveTab() {
  const live = useLive()
  const at = useAt()
  const { pod, container, previous } = useSearch({ strict: false }) as LogSearch
  return (
    <>
      {at && <p className="sentence">This tab shows the cluster as it is now, whatever moment the other pages are as of.</p>}
      {pod && container && <LogViewer key={`${pod}/${container}/${previous ?? ''}`} pod={pod} container={container} previous={previous === 'true'} />}
      <Answer of={live}>{(l) => <All of={l} error={live.error?.message} />}</Answer>
    </>
  )
}

function All({ of: l, error }: { of: Live; error: string | undefined }) {
  const old = error ?? l.stale
  const notes = [old && `What is shown may be old: ${old}`, l.unwanted && `Not all is compared: ${l.unwanted}`, ...(l.unseen ?? [])].filter((n) => n !== undefined && n !== '')
  return (
    <>
      {notes.length > 0 && (
        <ul className="rows" role="status">
          {notes.map((n) => (
            <li key={n} className="warn">
              <Sign tone="warn" />
              <span>{n}</span>
            </li>
          ))}
        </ul>
      )}
      <Fields of={l.objects} />
      {byComponent(treeOf(l.objects)).map(([name, roots]) => (
        <Tree key={name} title={name === '' ? 'What its components share' : name} roots={roots} />
      ))}
      {l.total > l.objects.length && <p className="more">These are {l.objects.length} of {l.total} objects.</p>}
      {l.objects.length === 0 && (
        <Panel title="Objects">
          <p className="empty">The cluster has nothing of it.</p>
        </Panel>
      )}
      <Events of={l.events} />
    </>
  )
}
