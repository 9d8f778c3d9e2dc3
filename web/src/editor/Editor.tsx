import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Conflict, Offers, Path, Source } from '../answers/source'
import { params } from '../ask/answer'
import { useMeta } from '../ask/meta'
import { get, Refusal } from '../ask/request'
import { Answer } from '../parts/Answer'
import { Badge } from '../parts/Badge'
import { Commit } from '../parts/Place'
import { Tip } from '../parts/Tip'
import { changed, documentOf, editsOf, fateOf, most, originOf, redo, rewritten, undo, without, type Draft, type Step } from './draft'
import { EditingContext, type Editing } from './editing'
import { AddPart, type Wanted } from './AddPart'
import { Canvas } from './Canvas'
import { checklist, missing } from './checklist'
import { useCopyKeys } from './clipboard'
import { Effect } from './Effect'
import { layerOf, titleOf } from './layer'
import { Outline } from './Outline'
import { declaredBy, fieldOf, pathOf, written } from './path'
import { SaveDialog } from './SaveDialog'
import { Sections } from './Sections'
import { Selected } from './Selected'
import { TextPane, type At } from './TextPane'
import { Texts } from './Texts'
import { Shapes, type Schema } from './schema'
import { forget, store } from './stored'
import { usePreview } from './usePreview'
import { Versions } from './Versions'

// Editor is the page of a draft: outline, picture, form, and what the draft would do.
export function Editor({ source, start, refresh }: { source: Source | undefined; start: Draft; refresh: () => void }) {
  const layer = layerOf(start.dir)
  const tenant = tenantOf(start.dir)
  const schema = useQuery<Schema, Error>({
    queryKey: ['schema', layer, tenant],
    queryFn: ({ signal }) => get<Schema>(`schema/${layer}`, params({ tenant }), signal),
  })
  return (
    <>
      <Answer of={schema}>{(s) => <Open source={source} start={start} refresh={refresh} schema={s} />}</Answer>
    </>
  )
}

function Open({ source, start, refresh, schema }: { source: Source | undefined; start: Draft; refresh: () => void; schema: Schema }) {
  const [draft, setDraft] = useState(start)
  const { data: meta } = useMeta()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const layer = layerOf(draft.dir)
  const tenant = tenantOf(draft.dir)
  const offers = useQuery<Offers, Error>({
    queryKey: ['offers', tenant],
    queryFn: ({ signal }) => get<Offers>('offers', params({ tenant }), signal),
  })
  const places = useMemo(() => source?.places ?? [], [source])
  const declared = useMemo(() => source?.declared ?? declaredBy(places), [source, places])
  const shapes = useMemo(() => new Shapes(schema), [schema])
  const doc = useMemo(() => documentOf(draft, declared), [draft, declared])
  const edits = useMemo(() => editsOf(draft), [draft])
  const [refused, setRefused] = useState(0) // how often saving was
  const { preview, error, stale } = usePreview(draft.base, edits, `${meta?.sourceCommit} ${meta?.base} ${refused}`)
  const [adding, setAdding] = useState<Wanted>()
  const [saving, setSaving] = useState(false)
  const [text, setText] = useState<At>()
  const field = typeof search.field === 'string' ? search.field : ''
  const selected = useMemo(() => (field === '' ? [] : pathOf(field, doc)), [field, doc])
  const [focus, setFocus] = useState<Path | undefined>(field !== '' ? selected : undefined) // where the focus is to go
  const place = useRef<HTMLDivElement>(null)
  const problems = useMemo(
    () => (preview?.problems ?? source?.problems ?? []).flatMap((problem) => {
      const at = fieldOf(problem, draft.dir)
      return at ? [{ at, problem }] : []
    }),
    [preview, source, draft.dir],
  )

  const select = useCallback(
    (path: Path) => {
      void navigate({ to: '.', search: (s: Record<string, unknown>) => ({ ...s, field: path.length > 0 ? written(path) : undefined }), replace: true, resetScroll: false })
    },
    [navigate],
  )
  const goTo = useCallback(
    (path: Path) => {
      select(path)
      setFocus(path)
    },
    [select],
  )
  const put = useCallback((next: (d: Draft) => Draft) => setDraft((d) => next(d)), [])
  const change = useCallback((step: Step) => step.edits.length > 0 && put((d) => changed(d, step)), [put])
  useEffect(() => store(draft), [draft])
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (!(e.ctrlKey || e.metaKey) || e.altKey || e.key.toLowerCase() !== 'z' || document.querySelector('[role=dialog], [role=alertdialog]')) return
      e.preventDefault()
      put(e.shiftKey ? redo : undo)
    }
    document.addEventListener('keydown', key)
    return () => document.removeEventListener('keydown', key)
  }, [put])
  useEffect(() => {
    if (!focus || written(focus) !== written(selected)) return
    const wanted = place.current?.querySelector<HTMLElement>(`[data-field="${CSS.escape(written(selected))}"]`)
    const input = wanted?.matches('.group') ? wanted.querySelector<HTMLElement>('summary') : (wanted?.querySelector<HTMLElement>('input, select, textarea, summary') ?? wanted)
    input?.scrollIntoView({ block: 'center' })
    input?.focus()
    setFocus(undefined)
  }, [focus, selected])

  const editing: Editing = useMemo(
    () => ({ draft, doc, places, policy: source?.policy ?? [], shapes, offers: offers.data, problems, selected, select, goTo, change: change as (s: Step) => void, origin: (p) => originOf(draft, places, p), openText: (file, line) => setText({ file, line }) }),
    [draft, doc, places, source, shapes, offers.data, problems, selected, select, change],
  )
  useCopyKeys(editing)
  const earlier = source !== undefined && draft.base !== source.base
  const tip = preview?.base
  useEffect(() => {
    if (source && [tip, meta?.base].some((base) => base !== undefined && base !== source.base)) refresh() // somebody committed meanwhile
  }, [tip, meta?.base])
  useEffect(() => {
    if (source && earlier) put((d) => (d.done.length + d.undone.length === 0 ? { ...d, base: source.base } : d)) // it has nothing to compare
  }, [earlier, draft.done.length, draft.undone.length])
  const anew = () => {
    forget(draft)
    if (draft.created) void navigate({ to: '/new/application', search: { tenant } })
    else setDraft({ ...draft, base: source?.base ?? draft.base, done: [], undone: [] })
  }
  const keepMine = () => {
    if (!source) return
    forget(draft)
    setDraft({ ...draft, base: source.base })
  }
  const theirs = (c: Conflict) => put((d) => startingFrom(tip, without(d, c.whole && fate === 'removed' ? [] : c.path)))
  const shown = text ?? (rewritten(draft) ? firstText(draft) : undefined) // no form knows what a text says
  const fate = fateOf(draft)
  const asText = shown !== undefined
  const empty = useMemo(() => (asText || fate === 'removed' ? [] : missing(shapes, doc)), [asText, fate, shapes, doc])
  const unseen = error instanceof Refusal && error.saves
  const checks = checklist({ edits: edits.length, most, empty, preview, stale, failed: error !== undefined, unseen, problems: problems.map((p) => p.at) })
  const saves = (unseen || (preview?.saves === true && !error)) && !stale && edits.length <= most
  return (
    <EditingContext value={editing}>
      <div className="heading">
        <h1>
          Edit {titleOf(draft.dir)}
          {draft.created && <Badge word="new" tone="move" />}
          {fate && <Badge word={fate === 'removed' ? 'is removed' : `becomes ${fate.name}`} tone="warn" />}
        </h1>
        <p>
          Nothing changes until you save, and then only {meta?.saves === 'propose' ? 'a branch of your own does' : 'a branch of this clone does'}. The draft stays in this browser. It starts from commit <Commit hash={draft.base} source />.
        </p>
        <div role="status">
          {earlier && (
            <p className="sentence">
              <Badge word="the files changed since" tone="warn" /> They are now of commit <Commit hash={source.base} source />. What you changed is compared with what others did;{' '}
              <button type="button" className="plain" onClick={keepMine}>put your changes on the newest files</button>.
            </p>
          )}
        </div>
      </div>
      <div className="tools" role="toolbar" aria-label="Draft">
        <Tip text="Ctrl+Z"><button type="button" onClick={() => put(undo)} disabled={draft.done.length === 0}>Undo{draft.done.length > 0 && <span className="unseen">: {draft.done.at(-1)?.what}</span>}</button></Tip>
        <Tip text="Ctrl+Shift+Z"><button type="button" onClick={() => put(redo)} disabled={draft.undone.length === 0}>Redo{draft.undone.length > 0 && <span className="unseen">: {draft.undone.at(-1)?.what}</span>}</button></Tip>
        <button type="button" className="primary" onClick={() => setSaving(true)} disabled={!saves}>Save as a branch …</button>
        {!shown && (source?.files.length ?? 0) > 0 && <button type="button" onClick={() => setText({ file: source?.files[0]?.path ?? '', line: 1 })}>As text</button>}
        <button type="button" onClick={anew} disabled={draft.done.length === 0}>Throw the draft away</button>
        <p role="status" className="soft">{counted(draft, edits.length)}</p>
      </div>
      <div className="editing" ref={place}>
        {shown ? null : layer === 'application' ? <Outline add={setAdding} /> : <Sections />}
        <div className={shown ? 'middle wide' : 'middle'}>
          <Texts list={edits.length === 0 ? [] : (preview?.conflicts ?? [])} theirs={theirs} />
          {shown ? (
            <TextPane at={shown} source={source} preview={preview} fresh={!stale} open={setText} close={() => setText(undefined)} />
          ) : (
            <>
              {adding && <AddPart key={JSON.stringify(adding)} wanted={adding} close={(made) => { setAdding(undefined); if (made) goTo(made) }} />}
              {layer === 'application' && <Canvas add={setAdding} />}
              {field === 'images' && layer === 'application' ? <Versions /> : <Selected add={setAdding} />}
            </>
          )}
        </div>
        <Effect
          draft={draft} checks={checks} empty={edits.length === 0} preview={preview} error={error} stale={stale}
          theirs={theirs} undo={() => put(undo)}
        />
      </div>
      {saving && (
        <SaveDialog
          draft={draft} edits={edits} close={() => setSaving(false)} outdated={() => setRefused((n) => n + 1)}
          done={() => {
            setSaving(false)
            if (draft.created) {
              forget(draft)
              void navigate({ to: '/' })
            } else {
              anew()
            }
          }}
        />
      )}
      <p className="soft"><Back of={draft} /></p>
    </EditingContext>
  )
}

// startingFrom has a draft that changes nothing any more start from the newest files.
const startingFrom = (tip: string | undefined, d: Draft): Draft => (tip !== undefined && d.done.length === 0 ? { ...d, base: tip } : d)

// Back leads to the page of what is edited, or of the fleet if that has none yet.
function Back({ of: d }: { of: Draft }) {
  const [, tenant = '', , name = ''] = d.dir.split('/')
  switch (d.created ? 'platform' : layerOf(d.dir)) {
    case 'platform': return <Link to="/">Back to the fleet</Link>
    case 'tenant': return <Link to="/tenants/$tenant" params={{ tenant }}>Back to the tenant</Link>
    case 'application': return <Link to="/applications/$tenant/$name" params={{ tenant, name }}>Back to the application</Link>
  }
}

// firstText is the file whose text a draft changed last.
function firstText(d: Draft): At | undefined {
  const file = d.done.flatMap((s) => s.edits).findLast((e) => e.op === 'text')?.path[0]
  return file === undefined ? undefined : { file, line: 1 }
}

const tenantOf = (dir: string) => dir.split('/')[1] ?? ''

function counted(d: Draft, edits: number): string {
  if (d.done.length === 0) return 'nothing changed yet'
  if (edits > most) return `${edits} edits are more than the ${most} that can be saved at once; save some of them first`
  return d.done.length === 1 ? '1 change' : `${d.done.length} changes`
}
