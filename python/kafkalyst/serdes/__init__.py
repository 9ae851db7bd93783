"""Serializers and deserializers for producers and consumers in Python, in Confluent's wire format.

They have the interface of confluent-kafka's own, `serializer(value, context)`, and work with its `SerializingProducer`
and `DeserializingConsumer` as `key.serializer`, `value.deserializer` and so on, or by themselves with a `Context`.
Tables of AVRO, JSON_SR and PROTOBUF read what these serializers write, and the reverse. Needs the extra
`kafkalyst[serdes]`:

    registry = Registry("http://localhost:8081")
    producer = SerializingProducer({"bootstrap.servers": "localhost:9092",
                                    "value.serializer": AvroSerializer(registry, schema)})
    producer.produce("orders", value={"id": 1, "amount": 9.5})
"""

from kafkalyst.serdes.avro import AvroDeserializer, AvroSerializer, avro_encoder
from kafkalyst.serdes.base import MAGIC, Context, SerdeError
from kafkalyst.serdes.json_schema import JsonDeserializer, JsonSerializer
from kafkalyst.serdes.protobuf import ProtobufDeserializer, ProtobufSerializer
from kafkalyst.serdes.registry import Reference, Registry, RegistryError, Schema, register, request
from kafkalyst.serdes.topics import Record, create_topic, produce

__all__ = [
    "MAGIC",
    "AvroDeserializer",
    "AvroSerializer",
    "Context",
    "JsonDeserializer",
    "JsonSerializer",
    "ProtobufDeserializer",
    "ProtobufSerializer",
    "Record",
    "Reference",
    "Registry",
    "RegistryError",
    "Schema",
    "SerdeError",
    "avro_encoder",
    "create_topic",
    "produce",
    "register",
    "request",
]
