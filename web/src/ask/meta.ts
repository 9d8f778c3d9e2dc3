import { useQuery } from '@tanstack/react-query'
import type { Meta } from '../answers/meta'
import { exported } from './exported'
import { get } from './request'

// useMeta says what the server looks at. It is asked every few seconds while the page is in view, because the branch is silent
// when nothing happens, and people want to know that somebody looked.
export function useMeta() {
  return useQuery<Meta, Error>({
    queryKey: ['meta'],
    queryFn: ({ signal }) => get<Meta>('meta', new URLSearchParams(), signal),
    refetchInterval: exported === undefined ? 5_000 : false,
    retry: false,
  })
}
