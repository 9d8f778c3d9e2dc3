import { useSearch } from '@tanstack/react-router'
import { exported } from '../ask/exported'

const commit = /^[0-9a-f]{40}$/

// useAt returns the commit of the status branch that the page is as of, undefined for the tip.
export function useAt(): string | undefined {
  const { at } = useSearch({ strict: false }) as { at?: unknown }
  if (exported !== undefined) return undefined // it has one moment
  return typeof at === 'string' && commit.test(at) ? at : undefined
}
