import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useId, useMemo, useState, type FormEvent } from 'react'
import type { Offers } from '../answers/source'
import { params } from '../ask/answer'
import { get } from '../ask/request'
import { Answer } from '../parts/Answer'
import { Panel } from '../parts/Panel'
import { useTitle } from '../shell/title'
import { leastOf } from './AddPart'
import type { Draft } from './draft'
import './editor.css'
import { isStruct } from './path'
import { Shapes, type Schema } from './schema'
import { store } from './stored'
import { useEdits } from './useEdits'

const names = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/

// NewApplicationPage begins an application: whose it is, its name, and its first component.
export function NewApplicationPage() {
  useTitle('New application')
  const able = useEdits()
  const schema = useQuery<Schema, Error>({ queryKey: ['schema'], queryFn: ({ signal }) => get<Schema>('schema/application', params({}), signal), enabled: able })
  const offers = useQuery<Offers, Error>({ queryKey: ['offers', ''], queryFn: ({ signal }) => get<Offers>('offers', params({}), signal), enabled: able })
  return (
    <div className="page editor">
      <div className="heading">
        <h1>New application</h1>
        <p>It begins as a draft in this browser. Nothing changes until you save it, and then only a branch of this clone does.</p>
      </div>
      {!able && <p className="empty">Nothing can be changed here: this needs <code>reconciler ui</code> in a clone of the fleet repo, without --read-only.</p>}
      {able && <Answer of={offers}>{(o) => <Answer of={schema}>{(s) => <Begin offers={o} schema={s} />}</Answer>}</Answer>}
    </div>
  )
}

function Begin({ offers, schema }: { offers: Offers; schema: Schema }) {
  const id = useId()
  const navigate = useNavigate()
  const { tenant: asked } = useSearch({ from: '/new/application' })
  const [tenant, setTenant] = useState(offers.tenants?.find((t) => t === asked) ?? offers.tenants?.[0] ?? '')
  const [name, setName] = useState('')
  const [component, setComponent] = useState('web')
  const [type, setType] = useState(offers.componentTypes[0]?.name ?? 'webservice')
  const [image, setImage] = useState('')
  const there = useQuery<Offers, Error>({ queryKey: ['offers', tenant], queryFn: ({ signal }) => get<Offers>('offers', params({ tenant }), signal), enabled: tenant !== '' })
  const forms = useQuery<Schema, Error>({ queryKey: ['schema', tenant], queryFn: ({ signal }) => get<Schema>('schema/application', params({ tenant }), signal), enabled: tenant !== '' })
  const shapes = useMemo(() => new Shapes(forms.data ?? schema), [forms.data, schema])
  const types = there.data?.componentTypes ?? offers.componentTypes // those of the tenant as well
  const taken = (there.data?.applications ?? []).some((a) => a === name || a === `${tenant}/${name}`)
  const value = leastOf({ shapes, doc: {} }, 'components', type, image)
  const asksImage = isStruct(value.properties) && 'image' in value.properties
  const possible = tenant !== '' && names.test(name) && names.test(component) && !taken && (!asksImage || image !== '')
  const begin = (ev: FormEvent) => {
    ev.preventDefault()
    if (!possible) return
    const dir = `tenants/${tenant}/apps/${name}`
    const draft: Draft = {
      application: `${tenant}/${name}`, dir, base: offers.base ?? '', created: true, undone: [],
      done: [{ what: 'begin', edits: [{ dir, path: [], op: 'set', value: { name, components: { [component]: { type, ...value } } } }] }],
    }
    store(draft)
    void navigate({ to: '/applications/$tenant/$name/edit', params: { tenant, name }, search: { field: `components.${component}` } })
  }
  const text = (label: string, v: string, put: (s: string) => void, about = '') => (
    <div className="field">
      <label htmlFor={`${id}-${label}`}>{label}</label>
      <div className="value"><input id={`${id}-${label}`} type="text" value={v} onChange={(ev) => put(ev.target.value)} spellCheck={false} autoComplete="off" aria-describedby={`${id}-${label}-about`} /></div>
      <p className="about soft" id={`${id}-${label}-about`} role="status">{about}</p>
    </div>
  )
  const odd = (s: string) => (s !== '' && !names.test(s) ? 'lower-case letters, digits and dashes, beginning with a letter' : '')
  const choice = (label: string, v: string, put: (s: string) => void, list: string[], about = '') => (
    <div className="field">
      <label htmlFor={`${id}-${label}`}>{label}</label>
      <div className="value">
        <select id={`${id}-${label}`} value={v} onChange={(ev) => put(ev.target.value)}>
          {list.map((t) => <option key={t} value={t}>{t}</option>)}
        </select>
      </div>
      <p className="about soft">{about}</p>
    </div>
  )
  return (
    <Panel title="What it is">
      <form className="fields" onSubmit={begin}>
        {choice('tenant', tenant, setTenant, offers.tenants ?? [])}
        {text('name', name, setName, taken ? `${tenant} has an application ${name} already` : odd(name))}
        <h3>Its first component</h3>
        {text('component', component, setComponent, odd(component))}
        {choice('type', type, setType, types.map((t) => t.name), types.find((t) => t.name === type)?.about)}
        {asksImage && text('image', image, setImage)}
        <p className="adds"><button type="submit" className="primary" disabled={!possible}>Go on in the editor</button>{!possible && <span className="soft">needs {[name, component].some((s) => !names.test(s)) ? 'a name' : taken ? 'another name' : 'an image'}</span>}</p>
      </form>
    </Panel>
  )
}
