/** A JSON array of run ids as rows `v(id)`, in the order given. */
export const IDS = {
  postgresql: 'json_array_elements_text($1::json) AS v(id)',
  mysql: `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v`,
};
