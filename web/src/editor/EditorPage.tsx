import { Link, useParams } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Source } from '../answers/source'
import { params } from '../ask/answer'
import { exported } from '../ask/exported'
import { useMeta } from '../ask/meta'
import { get, Refusal } from '../ask/request'
import { Failure } from '../parts/Answer'
import { useAt } from '../shell/at'
import { useTitle } from '../shell/title'
import { ProblemList } from '../problems/ProblemList'
import type { Draft } from './draft'
import { Editor } from './Editor'
import './editor.css'
import { keyOf, sourceOf, titleOf } from './layer'
import { storedFor } from './stored'

// EditorPage is where a person changes an application or a tenant: what its files say, and the draft of this browser on top of it.
export function EditorPage() {
  const { tenant = '', name = '' } = useParams({ strict: false })
  return <Page key={`${tenant}/${name}`} dir={name === '' ? `tenants/${tenant}` : `tenants/${tenant}/apps/${name}`} />
}

// PlatformEditorPage is where a person changes the platform: what tenants are given, pools, policy, access.
export function PlatformEditorPage() {
  return <Page dir="." />
}

function Page({ dir }: { dir: string }) {
  const { data: meta } = useMeta()
  const at = useAt()
  const title = titleOf(dir)
  useTitle(`Edit ${title}`)
  const able = exported === undefined && at === undefined && meta?.edit === true
  const source = useQuery<Source, Error>({
    queryKey: ['source', dir],
    queryFn: ({ signal }) => get<Source>(sourceOf(dir), params({}), signal),
    enabled: able,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <div className="page editor">
      <Crumbs dir={dir} />
      {meta && !able && <Unable title={title} past={at !== undefined} />}
      {able && source.isPending && (
        <>
          <h1>Edit {title}</h1>
          <p className="loading" role="status">Reading the files …</p>
        </>
      )}
      {able && !source.isPending && <Opened dir={dir} source={source.data} error={source.error ?? undefined} again={() => void source.refetch()} />}
    </div>
  )
}

function Crumbs({ dir }: { dir: string }) {
  const [, tenant = '', , name = ''] = dir.split('/')
  return (
    <nav className="crumbs" aria-label="Above this page">
      <Link to="/">Fleet</Link>
      {tenant !== '' && <> <span aria-hidden="true">/</span> <Link to="/tenants/$tenant" params={{ tenant }}>{tenant}</Link></>}
      {name !== '' && <> <span aria-hidden="true">/</span> <Link to="/applications/$tenant/$name" params={{ tenant, name }}>{name}</Link></>}
    </nav>
  )
}

function Unable({ title, past }: { title: string; past: boolean }) {
  const why =
    exported !== undefined ? 'These pages are files that do not change.' : past ? 'An editor is about now. Go back to now to change something.' : <>Nothing can be changed here: this needs <code>reconciler ui</code> in a clone of the fleet repo, without --read-only.</>
  return (
    <>
      <h1>Edit {title}</h1>
      <p className="empty">{why}</p>
    </>
  )
}

// Opened chooses what the draft starts from: what is in this browser already, or the files.
function Opened({ dir, source, error, again }: { dir: string; source: Source | undefined; error: Error | undefined; again: () => void }) {
  const title = titleOf(dir)
  const [stored] = useState(() => storedFor(keyOf(dir), source?.base))
  const [chosen] = useState<Draft | undefined>(() => {
    const [first] = stored
    if (!source) return first?.created ? first : undefined
    return first && (first.base === source.base || first.done.length > 0) && !first.created ? first : undefined
  })
  const missing = error instanceof Refusal && error.status === 404
  if (error && !(missing && chosen)) {
    return (
      <>
        <h1>Edit {title}</h1>
        <Failure error={error} />
      </>
    )
  }
  if (source && source.declared === null && source.places.length === 0) {
    return (
      <>
        <h1>Edit {title}</h1>
        <p>Its files cannot be read as they are; mend them by hand first.</p>
        <ProblemList problems={source.problems} />
      </>
    )
  }
  const start: Draft = chosen ?? { application: keyOf(dir), dir, base: source?.base ?? '', created: false, done: [], undone: [] }
  return <Editor source={source} start={start} refresh={again} />
}
