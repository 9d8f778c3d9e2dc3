import { useMeta } from '../ask/meta'
import { Badge } from './Badge'
import { commitURL, fileURL } from './link'
import { Tip } from './Tip'

// Place is a position in a file of the fleet repo, of the given commit or of the one that the fleet follows now. It leads to the
// file where that is known to be.
export function Place({ at, commit }: { at: string | undefined; commit?: string }) {
  const { data: meta } = useMeta()
  if (!at) return null
  return <Linked to={fileURL(meta?.links, commit ?? meta?.sourceCommit, at)} className="place" text={at} />
}

// Commit shows the beginning of a commit; its tip has all of it. One of the fleet repo leads to it.
export function Commit({ hash, source = false }: { hash: string | undefined; source?: boolean }) {
  const { data: meta } = useMeta()
  if (!hash) return null
  return <Linked to={source ? commitURL(meta?.links, hash) : undefined} className="commit" text={hash.slice(0, 10)} title={hash} />
}

function Linked({ to, className, text, title }: { to: string | undefined; className: string; text: string; title?: string }) {
  const shown = <code className={className}>{text}</code>
  return <Tip text={title}>{to === undefined ? shown : <a href={to} rel="noreferrer">{shown}</a>}</Tip>
}

// Unverified marks a commit of the status branch for which no trusted key vouches.
export function Unverified({ why }: { why: string | undefined }) {
  return why ? <Badge word={`unverified: ${why}`} tone="warn" /> : null
}
