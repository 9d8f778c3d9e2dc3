import { useEffect, useState } from 'react'
import { Panel } from '../parts/Panel'
import { imagesOf, setAll } from './actions'
import { fixedBy } from './draft'
import { useEditing } from './editing'
import { written } from './path'

// Versions lists the images of an application, and changes each of them wherever it is used.
export function Versions() {
  const e = useEditing()
  const images = imagesOf(e.doc)
  const [now, setNow] = useState<Record<string, string>>({})
  useEffect(() => setNow({}), [e.doc])
  const differ = images.filter((i) => (now[i.image] ?? i.image) !== i.image && now[i.image] !== '')
  const apply = () => {
    const values = differ.flatMap((i) => i.at.filter((p) => !fixedBy(e.draft, e.places, p)).map((p): [typeof p, string] => [p, now[i.image] ?? i.image]))
    const [only] = differ
    e.change(setAll(e, differ.length === 1 && only ? `run ${now[only.image]}` : `run ${differ.length} new images`, values))
  }
  return (
    <Panel title="New version" note="each image, wherever it is used">
      {images.length === 0 && <p className="empty">No component names an image.</p>}
      {images.length > 0 && (
        <form onSubmit={(ev) => { ev.preventDefault(); apply() }}>
          <div className="scroll" tabIndex={0} role="region" aria-label="Images">
            <table className="versions">
              <thead>
                <tr>
                  <th scope="col">Used by</th>
                  <th scope="col">Runs</th>
                  <th scope="col">Is to run</th>
                </tr>
              </thead>
              <tbody>
                {images.map((i) => {
                  const fixed = i.at.flatMap((p) => fixedBy(e.draft, e.places, p) ?? [])
                  return (
                    <tr key={i.image}>
                      <th scope="row">{i.at.map((p) => (p[2] === 'properties' ? p[1] : written(p.slice(1, -1)))).join(', ')}</th>
                      <td><code>{i.image}</code></td>
                      <td>
                        <input type="text" aria-label={`New image instead of ${i.image}`} value={now[i.image] ?? i.image} onChange={(ev) => setNow({ ...now, [i.image]: ev.target.value })} disabled={fixed.length === i.at.length} spellCheck={false} autoComplete="off" />
                        {fixed.map((f) => <p key={`${f.file}:${f.line}`} className="soft">read-only at <code className="place">{f.file}:{f.line}</code>: {f.why ?? 'is computed'}</p>)}
                      </td>
                    </tr>
                  )
                })}
              </tbody>
            </table>
          </div>
          <p className="adds"><button type="submit" className="primary" disabled={differ.length === 0}>Take over {differ.length > 0 && (differ.length === 1 ? '1 image' : `${differ.length} images`)}</button></p>
        </form>
      )}
    </Panel>
  )
}
