import { lazy, Suspense } from 'react'
import type { Application, Component } from '../answers/application'
import type { Spec } from '../answers/explanation'
import { Badge } from '../parts/Badge'
import { Moment } from '../parts/Moment'
import { Panel } from '../parts/Panel'
import { counted, stateOf } from '../parts/state'
import { Change } from '../editor/Change'
import { componentNodes } from './nodes'

const Graph = lazy(() => import('../graph/Graph'))

// Components shows the parts of an application, as a picture of what depends on what and as a table of the same.
export function Components({ of: a, spec }: { of: Application; spec: Spec | undefined }) {
  if (!spec) {
    return (
      <Panel title="Components">
        <p className="empty">Nothing of it was accepted yet, so the status branch knows none of its components. The fleet repo declares them.</p>
      </Panel>
    )
  }
  const nodes = componentNodes(spec, a.components)
  return (
    <Panel title="Components" note={String(nodes.length)}>
      {nodes.length > 1 && (
        <Suspense fallback={<p className="loading">Drawing …</p>}>
          <Graph nodes={nodes} label="Components, and what they depend on" things="components" />
        </Suspense>
      )}
      <div className="scroll" tabIndex={0} role="region" aria-label="Components">
        <table>
          <thead>
            <tr>
              <th scope="col">Component</th>
              <th scope="col">State</th>
              <th scope="col" className="number">Ready</th>
              <th scope="col" className="number">Granted</th>
              <th scope="col" className="number">Asked</th>
              <th scope="col">Depends on</th>
              <th scope="col">Pool</th>
              <th scope="col">What runs</th>
            </tr>
          </thead>
          <tbody>
            {spec.components.map((c) => {
              const seen = a.components.find((s) => s.name === c.name)
              return (
                <tr key={c.name}>
                  <th scope="row">
                    {c.name}
                    <small className="soft"> {c.type}{c.critical ? '' : ', not critical'}</small>{' '}
                    <Change application={a.application} field={`components.${c.name}`} label={`Change ${c.name}`} />
                  </th>
                  <td>{seen ? <Badge word={seen.state} tone={stateOf(seen)} /> : <span className="soft">configuration</span>}</td>
                  <Counts of={seen} />
                  <td>{c.dependsOn?.join(', ') || '–'}</td>
                  <td>{seen?.pool ?? '–'}</td>
                  <td className="images">
                    {seen?.images?.map((i) => <code key={i}>{i}</code>)}
                    {seen?.message && <p>{seen.message}</p>}
                    {seen?.unready && <p>not ready since <Moment at={seen.unready} /></p>}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function Counts({ of: c }: { of: Component | undefined }) {
  return (
    <>
      <td className="number">{c && counted(c) ? c.ready : '–'}</td>
      <td className="number">{c ? c.granted : '–'}</td>
      <td className="number">{c ? c.asked : '–'}</td>
    </>
  )
}
