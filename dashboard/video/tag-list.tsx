/** The tags of a video. Each leads to the list of videos that have it. */
export const TagList = ({ tags }: { tags: readonly string[] }) => (
  <span class="tags">
    {tags.map((tag) => (
      <a key={tag} href={`/?${new URLSearchParams({ tag })}`}>
        <bdi>{tag}</bdi>
      </a>
    ))}
  </span>
);
